"""Entries of the comparison with other tools."""

from __future__ import annotations

from ..entries import DATA, Entry, Section
from ..findings import lda as lda_findings
from ..findings import medlda as medlda_findings
from ..findings import online as online_findings

NEWS = f"--corpus {DATA}/20newsgroups.jsonl.xz --split split"
NEWS_DATA = "20 Newsgroups, split by date: trained on the training posts, evaluated on 500 of the test posts."

ENTRIES = (
    Entry(
        "peers-lda",
        "lda",
        "LDA: speed, likelihood, memory",
        "All programs use the same documents, priors and number of topics, on one thread. They take turns, so other "
        "load on the machine affects all of them. Likelihood and perplexity are computed from each program's topics "
        "by the same function.",
        f"{NEWS} --programs topicwright,tomotopy,lda,gensim,sklearn",
        {
            "tiny": "-k 3 --sweeps 4 --every 2 --no-memory",
            "small": "-k 100 --sweeps 100 --every 25",
            "paper": "-k 100 --sweeps 400 --every 20 --repeats 3",
        },
        NEWS_DATA,
        lda_findings.lda,
        "gensim and scikit-learn use variational inference: they have no topic per token, so no log p(w, z), and one "
        "pass is one turn. `transform` is each program's own inference with its defaults, which differ in effort. "
        "Early values depend more on the initialization than on the sampler: Topicwright draws tokens one by one, "
        "others start at random.",
        ("log p(w, z)\n25", "log p(w, z)\n50", "log p(w, z)\n80", "log p(w, z)\n160"),
    ),
    Entry(
        "peers-many-topics",
        "lda",
        "LDA with 1,000 topics",
        "The same with many topics. A sampler that evaluates every topic is slow here.",
        f"{NEWS} --programs topicwright,tomotopy",
        {
            "tiny": "-k 5 --sweeps 4 --every 2 --no-memory",
            "small": "-k 1000 --sweeps 20 --every 5",
            "paper": "-k 1000 --sweeps 200 --every 20",
        },
        NEWS_DATA,
        lda_findings.lda,
        "After few sweeps, likelihoods depend more on the initialization than on the sampler.",
    ),
    Entry(
        "peers-threads",
        "lda",
        "LDA on two threads",
        "The same on one and on two threads. Topicwright gives the same topics on any number of threads; tomotopy "
        "does not.",
        f"{NEWS} --programs topicwright,tomotopy --threads 2 --no-memory",
        {
            "tiny": "-k 3 --sweeps 4 --every 2",
            "small": "-k 100 --sweeps 40 --every 10",
            "paper": "-k 100 --sweeps 200 --every 20 --repeats 3",
        },
        NEWS_DATA,
        lda_findings.threads,
        "On a busy machine the values also reflect the other load.",
    ),
    Entry(
        "peers-accuracy",
        "medlda",
        "Accuracy: classes of new documents",
        "Test accuracy of supervised topics, with and without weights for single words. The baselines are "
        "scikit-learn's linear support vector machine on TF-IDF, the same on topics of plain LDA, and tomotopy's "
        "sLDA with a binary response per class. NPMI of the topics is computed on the training documents.",
        f"{NEWS} --part words",
        {
            "tiny": "-k 3 --sweeps 4",
            "small": "-k 40",
            "paper": "-k 40,100 --repeats 3",
        },
        "20 Newsgroups by date.",
        medlda_findings.words,
        "tomotopy runs the same number of sweeps. It and plain LDA use our priors. Its sLDA is designed for a few "
        "responses, not for twenty.",
    ),
    Entry(
        "peers-ranking-reuters",
        "medlda",
        "Label ranking: Reuters",
        "Ranking of the labels of new documents by Labeled LDA, by tomotopy's LLDA and PLDA (one topic per label and "
        "one shared topic) with their own inference, and by a support vector machine on TF-IDF.",
        f"--corpus {DATA}/reuters21578.jsonl.xz --split split --part ranking",
        {"tiny": "--sweeps 4", "small": "", "paper": "--sweeps 200 --repeats 5"},
        "Reuters-21578, ModApte split, stories with topics.",
        medlda_findings.ranking,
        "Our prior of a label is its frequency in training, which tomotopy does not offer. Documents without any "
        "label that occurs in training are left out.",
    ),
    Entry(
        "peers-ranking-delicious",
        "medlda",
        "Label ranking: delicious",
        "The same with many tags, and several tags per document.",
        f"--corpus {DATA}/delicious.jsonl.xz --split split --token-pattern '\\S+' --stop-words none --min-df 1 --part "
        "ranking",
        {"tiny": "--sweeps 4", "small": "", "paper": "--sweeps 200 --repeats 3"},
        "delicious (Mulan's data and split): 500 words, present or absent.",
        medlda_findings.ranking,
    ),
    Entry(
        "peers-labels",
        "online",
        "Labeled LDA: speed",
        "CPU seconds per sweep of batch Labeled LDA, compared with tomotopy's LLDA.",
        f"--corpus {DATA}/delicious.jsonl.xz --token-pattern '\\S+' --stop-words none --min-df 1 --part batch",
        {"tiny": "--rounds 1 --warm-up 0", "small": "", "paper": "--repeats 3"},
        "delicious (Mulan's data), all documents and tags.",
        online_findings.batch,
    ),
)

SECTION = Section(
    "Comparison with other tools",
    "",
    ENTRIES,
    {},
)
