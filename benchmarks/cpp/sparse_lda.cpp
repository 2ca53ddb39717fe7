// The yardstick: a plain SparseLDA loop (Yao, Mimno and McCallum 2009), one thread.
//
//   g++ -O3 -march=native -o sparse_lda sparse_lda.cpp
//   sparse_lda CORPUS N_TOPICS ALPHA BETA SEED
//
// CORPUS is raw binary: int64 n_docs, n_tokens, n_words; int64 offsets[n_docs + 1]; int32 tokens[n_tokens].
// Commands come on standard input, one a line, each answered by one line, so that a driver can take turns:
//   sweep N      runs N sweeps                 answer: N CPU seconds, one a sweep
//   write PATH   writes the topics as uint32   answer: ok
//
//   p(z = k) ∝ (n_dk + a)(n_kw + b) x_k,  x_k = 1 / (n_k + V b),  in three buckets:
//   s = Σ a b x_k            all topics, a running sum
//   r = Σ n_dk b x_k         the document's topics, a running sum
//   q = Σ n_kw (n_dk + a) x_k   the word's topics; (n_dk + a) x_k is kept in `coefficient`
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

static void fail(const char* message) {
    std::fprintf(stderr, "sparse_lda: %s\n", message);
    std::exit(2);
}

static double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Random {  // splitmix64
    uint64_t state;
    uint64_t next() {
        uint64_t z = (state += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    double uniform() { return double(next() >> 11) * 0x1.0p-53; }
};

struct Corpus {
    int64_t n_docs, n_tokens, n_words;
    std::vector<int64_t> offsets;
    std::vector<uint32_t> tokens;

    explicit Corpus(const char* path) {
        FILE* file = std::fopen(path, "rb");
        if (!file) fail("cannot open the corpus");
        int64_t sizes[3];
        if (std::fread(sizes, 8, 3, file) != 3) fail("the corpus is truncated");
        n_docs = sizes[0], n_tokens = sizes[1], n_words = sizes[2];
        offsets.resize(size_t(n_docs) + 1);
        tokens.resize(size_t(n_tokens));
        if (std::fread(offsets.data(), 8, offsets.size(), file) != offsets.size() ||
            std::fread(tokens.data(), 4, tokens.size(), file) != tokens.size())
            fail("the corpus is truncated");
        std::fclose(file);
    }
};

struct Sampler {
    const Corpus& corpus;
    uint32_t K, bits, mask;
    double a, b, B;
    Random random;
    std::vector<uint32_t> z;
    std::vector<uint32_t> rows;        // per word: count << bits | topic, largest first
    std::vector<uint64_t> row_start;   // a word has room for min(K, its occurrences) topics
    std::vector<uint32_t> row_length;
    std::vector<uint32_t> n_k, n_dk, doc_topics, place;  // place: where a topic stands in doc_topics
    std::vector<double> x, coefficient, cumulative;
    uint32_t n_doc_topics = 0;
    double s = 0, r = 0;

    Sampler(const Corpus& corpus, uint32_t K, double a, double b, uint64_t seed)
        : corpus(corpus), K(K), a(a), b(b), B(b * double(corpus.n_words)), random{seed},
          z(corpus.tokens.size()), row_start(size_t(corpus.n_words) + 1), row_length(size_t(corpus.n_words)),
          n_k(K), n_dk(K), doc_topics(K), place(K), x(K), coefficient(K), cumulative(K) {
        for (bits = 1; (1u << bits) < K; ++bits) {}
        mask = (1u << bits) - 1;
        std::vector<uint32_t> occurrences(size_t(corpus.n_words));
        for (uint32_t w : corpus.tokens) ++occurrences[w];
        for (size_t w = 0; w < occurrences.size(); ++w) {
            if ((uint64_t(occurrences[w]) << bits) >> 32) fail("a word's count does not fit beside the topic in 32 bits");
            row_start[w + 1] = row_start[w] + (occurrences[w] < K ? occurrences[w] : K);
        }
        rows.resize(row_start.back());
        for (size_t i = 0; i < z.size(); ++i) {
            z[i] = uint32_t(random.uniform() * K);
            ++n_k[z[i]];
            raise(corpus.tokens[i], z[i]);
        }
    }

    // Count one more token of word w in topic k, keeping the row sorted.
    void raise(uint32_t w, uint32_t k) {
        uint32_t* row = &rows[row_start[w]];
        uint32_t i = 0, length = row_length[w];
        while (i < length && (row[i] & mask) != k) ++i;
        if (i == length) {
            row[i] = k;
            row_length[w] = length + 1;
        }
        raise_at(row, i);
    }

    void raise_at(uint32_t* row, uint32_t i) {
        uint32_t entry = row[i] + (1u << bits);
        for (; i > 0 && row[i - 1] < entry; --i) row[i] = row[i - 1];
        row[i] = entry;
    }

    void lower(uint32_t w, uint32_t k) {
        uint32_t* row = &rows[row_start[w]];
        uint32_t i = 0, length = row_length[w];
        while ((row[i] & mask) != k) ++i;
        uint32_t entry = row[i] - (1u << bits);
        for (; i + 1 < length && row[i + 1] > entry; ++i) row[i] = row[i + 1];
        row[i] = entry;
        if (entry >> bits == 0) row_length[w] = length - 1;  // an empty entry has sunk to the end
    }

    void begin_document(int64_t start, int64_t end) {
        n_doc_topics = 0;
        for (int64_t i = start; i < end; ++i) {
            uint32_t k = z[i];
            if (n_dk[k]++ == 0) place[k] = n_doc_topics, doc_topics[n_doc_topics++] = k;
        }
        r = 0;
        for (uint32_t j = 0; j < n_doc_topics; ++j) {
            uint32_t k = doc_topics[j];
            r += n_dk[k] * b * x[k];
            coefficient[k] = (n_dk[k] + a) * x[k];
        }
    }

    void end_document() {
        for (uint32_t j = 0; j < n_doc_topics; ++j) {
            uint32_t k = doc_topics[j];
            n_dk[k] = 0;
            coefficient[k] = a * x[k];
        }
    }

    // Change topic k's counts by one and whatever hangs on them; the word's row is the caller's.
    void remove(uint32_t k) {
        s -= a * b * x[k], r -= n_dk[k] * b * x[k];
        --n_k[k];
        if (--n_dk[k] == 0) {
            uint32_t last = doc_topics[--n_doc_topics];
            doc_topics[place[k]] = last, place[last] = place[k];
        }
        refresh(k);
    }

    void add(uint32_t k) {
        s -= a * b * x[k], r -= n_dk[k] * b * x[k];
        ++n_k[k];
        if (n_dk[k]++ == 0) place[k] = n_doc_topics, doc_topics[n_doc_topics++] = k;
        refresh(k);
    }

    void refresh(uint32_t k) {
        x[k] = 1.0 / (n_k[k] + B);
        s += a * b * x[k], r += n_dk[k] * b * x[k];
        coefficient[k] = (n_dk[k] + a) * x[k];
    }

    uint32_t draw_outside_row(double u) {
        if (u < r) {
            for (uint32_t j = 0; j < n_doc_topics; ++j) {
                uint32_t k = doc_topics[j];
                u -= n_dk[k] * b * x[k];
                if (u < 0) return k;
            }
            if (n_doc_topics) return doc_topics[n_doc_topics - 1];  // rounding
        }
        u = (u - r) / (a * b);
        for (uint32_t k = 0; k < K; ++k) {
            u -= x[k];
            if (u < 0) return k;
        }
        return K - 1;  // rounding
    }

    uint32_t resample(uint32_t w, uint32_t old) {
        remove(old);
        lower(w, old);
        uint32_t* row = &rows[row_start[w]];
        uint32_t length = row_length[w];
        double q = 0;
        for (uint32_t i = 0; i < length; ++i) {
            q += (row[i] >> bits) * coefficient[row[i] & mask];
            cumulative[i] = q;
        }
        double u = random.uniform() * (q + r + s);
        uint32_t k;
        if (u < q) {
            uint32_t i = 0;
            while (cumulative[i] <= u) ++i;
            k = row[i] & mask;
            raise_at(row, i);
        } else {
            k = draw_outside_row(u - q);
            raise(w, k);
        }
        add(k);
        return k;
    }

    void sweep() {
        s = 0;  // running sums drift: start each sweep anew
        for (uint32_t k = 0; k < K; ++k) {
            x[k] = 1.0 / (n_k[k] + B);
            s += a * b * x[k];
            coefficient[k] = a * x[k];
        }
        for (int64_t d = 0; d < corpus.n_docs; ++d) {
            int64_t start = corpus.offsets[d], end = corpus.offsets[d + 1];
            begin_document(start, end);
            for (int64_t i = start; i < end; ++i) z[i] = resample(corpus.tokens[i], z[i]);
            end_document();
        }
    }
};

static void run_sweeps(Sampler& sampler, long n) {
    for (long i = 0; i < n; ++i) {
        double start = cpu_seconds();
        sampler.sweep();
        std::printf("%s%.9f", i ? " " : "", cpu_seconds() - start);
    }
    std::printf("\n");
}

static void write_topics(const Sampler& sampler, char* path) {
    path[std::strcspn(path, "\r\n")] = 0;
    FILE* file = std::fopen(path, "wb");
    if (!file || std::fwrite(sampler.z.data(), 4, sampler.z.size(), file) != sampler.z.size() || std::fclose(file))
        fail("cannot write the topics");
    std::printf("ok\n");
}

int main(int argc, char** argv) {
    if (argc != 6) fail("usage: sparse_lda CORPUS N_TOPICS ALPHA BETA SEED");
    Corpus corpus(argv[1]);
    Sampler sampler(corpus, uint32_t(std::atol(argv[2])), std::atof(argv[3]), std::atof(argv[4]),
                    std::strtoull(argv[5], nullptr, 10));
    char line[4096];
    while (std::fgets(line, sizeof line, stdin)) {
        if (!std::strncmp(line, "sweep ", 6)) run_sweeps(sampler, std::atol(line + 6));
        else if (!std::strncmp(line, "write ", 6)) write_topics(sampler, line + 6);
        else fail("unknown command");
        std::fflush(stdout);
    }
}
