// The yardstick: topicwright's own sparse sampler in C++, one thread, one cell, without knowledge.
//
//   g++ -O3 -march=native -o sparse_lda sparse_lda.cpp
//   sparse_lda CORPUS N_TOPICS ALPHA BETA SEED
//
// CORPUS is raw binary: int64 n_docs, n_tokens, n_words; int64 offsets[n_docs + 1]; int32 tokens[n_tokens].
// Commands come on standard input, one a line, each answered by one line, so that a driver can take turns:
//   sweep N             runs N sweeps                        answer: N CPU seconds, one a sweep
//   write PATH          writes the topics as uint32          answer: ok
//   stream STATE STEP   goes on with these random numbers    answer: ok
//
// It mirrors samplers/{sparse,conditional,counts,topics,random}.py function by function, so that only the compiler
// differs. Given the same streams, and compiled with -ffp-contract=off, it draws the same topics to the bit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <ctime>
#include <numeric>
#include <vector>

using Index = uint64_t;
using Entry = uint32_t;
constexpr Index block_bits = 8, few_topics = 512;
constexpr int tries = 32;
constexpr double rarely = 0.125;

static void fail(const char* message) {
    std::cerr << "sparse_lda: " << message << "\n";
    std::exit(2);
}

static double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

struct Random {  // SplitMix64
    uint64_t state, step;

    double draw() {
        uint64_t x = state += step;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
        return double((x ^ (x >> 31)) >> 11) * 0x1.0p-53;
    }
};

struct Corpus {
    Index n_words;
    std::vector<Index> offsets, word_counts, doc_lengths;
    std::vector<uint32_t> tokens;

    explicit Corpus(const char* path) {
        std::ifstream file(path, std::ios::binary);
        Index sizes[3] = {};
        file.read(reinterpret_cast<char*>(sizes), sizeof sizes);
        n_words = sizes[2], offsets.resize(sizes[0] + 1), tokens.resize(sizes[1]);
        file.read(reinterpret_cast<char*>(offsets.data()), std::streamsize(8 * offsets.size()));
        file.read(reinterpret_cast<char*>(tokens.data()), std::streamsize(4 * tokens.size()));
        if (!file) fail("cannot read the corpus");
        word_counts.resize(n_words);
        for (uint32_t w : tokens) ++word_counts[w];
        for (Index d = 0; d < sizes[0]; ++d) doc_lengths.push_back(offsets[d + 1] - offsets[d]);
    }
};

// Rows of count << shift | topic, largest count first, with the row's length before them. There is room for a multiple
// of four entries; those beyond the length have a count of zero.
struct Rows {
    std::vector<Entry> entries;
    std::vector<Index> start;
    Index shift, mask, one;

    Rows(const std::vector<Index>& tokens, Index n_topics, bool largest_first) : start(tokens.size()) {
        for (shift = 1; (Index(1) << shift) < n_topics; ++shift) {}
        one = Index(1) << shift, mask = one - 1;
        std::vector<Index> order(start.size());
        std::iota(order.begin(), order.end(), Index(0));
        auto more = [&](Index v, Index w) { return tokens[v] > tokens[w]; };
        if (largest_first) std::stable_sort(order.begin(), order.end(), more);
        Index end = 0;
        for (Index row : order) {
            if (tokens[row] << shift >> 32) fail("a count does not fit beside the topic in 32 bits");
            start[row] = end;
            end += 4 * ((std::min(tokens[row], n_topics) + 3) / 4) + 1;
        }
        entries.resize(end);
    }

    Index begin(Index w) const { return start[w] + 1; }
    Index end(Index w) const { return begin(w) + entries[start[w]]; }
    Index topic(Index j) const { return entries[j] & mask; }
    double count(Index j) const { return double(int64_t(entries[j] >> shift)); }

    double sum(Index w, const double* weight) const {
        double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
        for (Index j = begin(w), last = end(w); j < last; j += 4) {
            sum0 += count(j) * weight[topic(j)];
            sum1 += count(j + 1) * weight[topic(j + 1)];
            sum2 += count(j + 2) * weight[topic(j + 2)];
            sum3 += count(j + 3) * weight[topic(j + 3)];
        }
        return (sum0 + sum1) + (sum2 + sum3);
    }

    // Count one token of word w in topic `fresh` and no longer in `old`; `at` is the entry of `fresh`, or else the end.
    // An entry swaps places with the last, or first, of those with the same count.
    void move(Index w, Index old, Index fresh, Index at, Index none) {
        Entry* row = entries.data();
        const Entry unit = Entry(one), counts = ~Entry(mask);
        const Index r0 = begin(w);
        Index r1 = end(w);
        const bool unknown = at == r1;
        if (old != none) {
            Index j = r0;
            while ((row[j] & mask) != old) ++j;
            const Entry floor = row[j] & counts;
            Index m = j;
            while (m + 1 < r1 && row[m + 1] >= floor) ++m;
            const Entry entry = row[j] - unit;
            row[j] = row[m], row[m] = entry;
            if (at == m) at = j;
            if (entry < unit) --r1;
        }
        if (unknown) {
            at = r0;
            while (at < r1 && (row[at] & mask) != fresh) ++at;
            if (at == r1) row[at] = Entry(fresh), ++r1;
        }
        const Entry entry = row[at] + unit;
        Index m = at;
        while (m > r0 && row[m - 1] < (entry & counts)) --m;
        row[at] = row[m], row[m] = entry;
        row[start[w]] = Entry(r1 - r0);
    }

    // All rows into canonical order, by shell sort.
    void sort() {
        for (Index w = 0; w < start.size(); ++w) {
            Entry* row = &entries[start[w]] + 1;
            const Index n = row[-1];
            for (Index gap : {8858, 3937, 1750, 701, 301, 132, 57, 23, 10, 4, 1})
                for (Index i = gap; i < n; ++i) {
                    const Entry entry = row[i];
                    Index j = i;
                    for (; j >= gap && row[j - gap] < entry; j -= gap) row[j] = row[j - gap];
                    row[j] = entry;
                }
        }
    }
};

// One slot more than there are topics: that of tokens which have no topic yet.
struct Topics {
    std::vector<int64_t> size;
    std::vector<double> alpha, inverse, inverse_less, weight, in_doc, block;  // weight = (n_dk + a_k) / (n_k + B)
    std::vector<uint32_t> listed, where;  // the document's topics, and where one stands in that list
    Index n_listed = 0;
    double beta_sum = 0, outside_sum = 0;  // the latter: Σ a_k / (n_k + B); block has it by 256 topics

    Topics(Index n_topics, double a)
        : size(n_topics + 1), alpha(n_topics + 1, a), inverse(n_topics + 1), inverse_less(n_topics + 1),
          weight(n_topics + 1), in_doc(n_topics + 1), block((n_topics >> block_bits) + 1), listed(n_topics + 1),
          where(n_topics + 1) {
        alpha[n_topics] = 0;
    }

    void begin_sweep(double new_beta_sum) {
        beta_sum = new_beta_sum;
        std::fill(block.begin(), block.end(), 0.0);
        for (Index k = 0; k + 1 < size.size(); ++k) {
            inverse[k] = 1.0 / (double(size[k]) + beta_sum);
            inverse_less[k] = 1.0 / (double(size[k] - 1) + beta_sum);
            weight[k] = alpha[k] * inverse[k];
            block[k >> block_bits] += weight[k];
        }
        weight.back() = 0;
        outside_sum = std::accumulate(block.begin(), block.end(), 0.0);
    }

    double enter_document(const Rows& docs, Index d) {
        const Index r0 = docs.begin(d);
        double gained = 0;
        n_listed = docs.end(d) - r0;
        for (Index j = 0; j < n_listed; ++j) {
            const Index k = docs.topic(r0 + j);
            listed[j] = uint32_t(k), where[k] = uint32_t(j);
            in_doc[k] = docs.count(r0 + j);
            const double part = in_doc[k] * inverse[k];
            weight[k] += part, gained += part;
        }
        return gained;
    }

    void leave_document(Rows& docs, Index d) {
        const Index r0 = docs.begin(d);
        for (Index j = 0; j < n_listed; ++j) {
            const Index k = listed[j];
            docs.entries[r0 + j] = Entry(Index(in_doc[k]) << docs.shift | k);
            in_doc[k] = 0;
            weight[k] = alpha[k] * inverse[k];
        }
        docs.entries[r0 - 1] = Entry(n_listed);
    }

    void leave_topic(Index k) {
        if (--in_doc[k] == 0) {
            const uint32_t last = listed[--n_listed];
            listed[where[k]] = last, where[last] = where[k];
        }
        --size[k];
        const double change = alpha[k] * (inverse_less[k] - inverse[k]);
        inverse[k] = inverse_less[k];
        inverse_less[k] = 1.0 / (double(size[k] - 1) + beta_sum);
        block[k >> block_bits] += change, outside_sum += change;
    }

    void enter_topic(Index k) {
        if (in_doc[k]++ == 0) where[k] = uint32_t(n_listed), listed[n_listed++] = uint32_t(k);
        ++size[k];
        inverse_less[k] = inverse[k];
        inverse[k] = 1.0 / (double(size[k]) + beta_sum);
        const double change = alpha[k] * (inverse[k] - inverse_less[k]);
        block[k >> block_bits] += change, outside_sum += change;
        weight[k] = (in_doc[k] + alpha[k]) * inverse[k];
    }
};

struct Drawn {
    Index topic, at;  // at: its entry, or the end of the row where that is not known
    double left;      // how far it still is to the end of the entry's mass
};

struct Sampler {
    const Corpus& corpus;
    const Index n_topics;
    const double beta;
    Random random;
    std::vector<uint32_t> assignments;
    Rows words, docs;
    Topics topics;
    bool is_first = true;

    Sampler(const Corpus& corpus, Index n_topics, double alpha, double beta, uint64_t seed)
        : corpus(corpus), n_topics(n_topics), beta(beta), random{seed, 0x9E3779B97F4A7C15ull},
          assignments(corpus.tokens.size(), uint32_t(n_topics)), words(corpus.word_counts, n_topics, true),
          docs(corpus.doc_lengths, n_topics, false), topics(n_topics, alpha) {}

    void sweep() {
        const double scale = is_first ? std::clamp(3000.0 / n_topics, 1.0, 30.0) : 1.0;
        topics.begin_sweep(beta * double(corpus.n_words) * scale);
        for (Index d = 0; d < docs.start.size(); ++d) sweep_document(d, beta * scale);
        words.sort(), docs.sort();
        is_first = false;
    }

    void sweep_document(Index d, double b) {
        const Index i0 = corpus.offsets[d], i1 = corpus.offsets[d + 1];
        if (i0 == i1) return;
        double* const weight = topics.weight.data();
        double weight_sum = topics.enter_document(docs, d) + topics.outside_sum;
        for (Index i = i0; i < i1; ++i) {
            const Index w = corpus.tokens[i], old = assignments[i];
            if (i + 1 < corpus.tokens.size()) __builtin_prefetch(&words.entries[words.start[corpus.tokens[i + 1]]]);

            const double kept = weight[old];  // take the token out of its topic
            const double reduced = (topics.in_doc[old] - 1.0 + topics.alpha[old]) * topics.inverse_less[old];
            weight[old] = reduced;
            const double sum_without = weight_sum - kept + reduced;

            const Drawn drawn = draw_topic(w, old, b, sum_without);
            if (drawn.topic == old) {
                weight[old] = kept;
                continue;
            }
            assignments[i] = uint32_t(drawn.topic);
            if (old != n_topics) topics.leave_topic(old);
            const double before = weight[drawn.topic];
            topics.enter_topic(drawn.topic);
            weight_sum = sum_without - before + weight[drawn.topic];
            words.move(w, old, drawn.topic, drawn.at, n_topics);
        }
        topics.leave_document(docs, d);
    }

    // The row's part of the old topic's mass is too large by the token's own weight. Mostly that is little: then a draw
    // that falls on it is drawn again.
    Drawn draw_topic(Index w, Index old, double b, double weight_sum) {
        const double own = topics.weight[old], row_mass = words.sum(w, topics.weight.data());
        const double total = row_mass + b * weight_sum;
        const bool rarely_again = own < rarely * total;
        while (true) {
            const double u = random.draw() * (rarely_again ? total : total - own);
            const double rest = u - (rarely_again ? row_mass : row_mass - own);
            if (rest >= 0) return {walk_rest(rest / b), words.end(w), 0.0};
            if (!rarely_again) return walk_row<true>(w, old, own, u);
            const Drawn drawn = walk_row<false>(w, old, own, u);
            if (drawn.topic != old || drawn.left > own) return drawn;
        }
    }

    template <bool without_own> Drawn walk_row(Index w, Index old, double own, double u) const {
        for (Index j = words.begin(w), end = words.end(w);; ++j) {
            const Index k = words.topic(j);
            u -= words.count(j) * topics.weight[k];
            if (without_own && k == old) u += own;
            if (u < 0 || j + 1 >= end) return {k, j, -u};
        }
    }

    Index walk_rest(double u) {
        for (Index j = 0; j < topics.n_listed; ++j) {
            const Index k = topics.listed[j];
            if ((u -= topics.weight[k]) < 0) return k;
        }
        if (n_topics > few_topics) {
            const Index k = by_blocks();
            if (k < n_topics) return k;
        }
        return by_passing_all(u);
    }

    Index by_blocks() {  // a topic outside the document; n_topics when none was found in a few tries
        for (int i = 0; i < tries; ++i) {
            double u = random.draw() * topics.outside_sum;
            Index b = 0;
            for (; b + 1 < topics.block.size() && u >= topics.block[b]; ++b) u -= topics.block[b];
            Index k = b << block_bits;
            const Index end = std::min(n_topics, k + (Index(1) << block_bits));
            for (; k < end; ++k)
                if ((u -= topics.alpha[k] * topics.inverse[k]) < 0) break;
            if (k < end && topics.in_doc[k] == 0) return k;
        }
        return n_topics;
    }

    Index by_passing_all(double u) const {
        Index chosen = n_topics;
        for (Index k = 0; k < n_topics; ++k) {
            if (topics.in_doc[k] != 0) continue;
            if (topics.weight[k] > 0) chosen = k;
            if ((u -= topics.weight[k]) < 0) return k;
        }
        return chosen < n_topics ? chosen : topics.listed[0];
    }
};

int main(int argc, char** argv) {
    if (argc != 6) fail("usage: sparse_lda CORPUS N_TOPICS ALPHA BETA SEED");
    Corpus corpus(argv[1]);
    Sampler sampler(corpus, Index(std::atol(argv[2])), std::atof(argv[3]), std::atof(argv[4]),
                    std::strtoull(argv[5], nullptr, 10));
    for (std::string command; std::cin >> command; std::cout << std::endl) {
        if (command == "sweep") {
            long n;
            for (std::cin >> n; n > 0; --n) {
                const double start = cpu_seconds();
                sampler.sweep();
                std::cout << cpu_seconds() - start << " ";
            }
        } else if (command == "write") {
            std::string path;
            std::getline(std::cin >> std::ws, path);
            std::ofstream file(path, std::ios::binary);
            file.write(reinterpret_cast<const char*>(sampler.assignments.data()), 4 * sampler.assignments.size());
            if (!file.flush()) fail("cannot write the topics");
            std::cout << "ok";
        } else if (command == "stream") {
            std::cin >> sampler.random.state >> sampler.random.step;
            std::cout << "ok";
        } else fail("unknown command");
    }
}
