"""Ours beside other programs, entry by entry."""

from __future__ import annotations

from ..entries import DATA, Entry, Section
from ..findings import lda as lda_findings
from ..findings import medlda as medlda_findings
from ..findings import online as online_findings

NEWS = f"--corpus {DATA}/20newsgroups.jsonl.xz --split split"
NEWS_DATA = "20 Newsgroups: the training posts of its split by date to fit, 500 of the test posts held out."

ENTRIES = (
    Entry(
        "peers-lda",
        "lda",
        "LDA: speed, likelihood, memory",
        "The same documents, priors and number of topics for all, one thread each. Programs take turns, so that what "
        "disturbs one disturbs all. Likelihood and perplexity are computed from each program's topics by one function "
        "of ours.",
        f"{NEWS} --programs topicwright,tomotopy,lda,gensim,sklearn",
        {
            "tiny": "-k 3 --sweeps 4 --every 2 --no-memory",
            "small": "-k 100 --sweeps 100 --every 25",
            "paper": "-k 100 --sweeps 400 --every 20 --repeats 3",
        },
        NEWS_DATA,
        lda_findings.lda,
        "gensim and scikit-learn are variational: they have no topic for each token, so no log p(w, z), and one of "
        "their passes is one turn. transform is each program's own inference at its defaults, which differ in effort. "
        "Early figures show the start more than the sampler: ours places tokens one by one, others at random.",
        ("log p(w, z)\n25", "log p(w, z)\n50", "log p(w, z)\n80", "log p(w, z)\n160"),
    ),
    Entry(
        "peers-many-topics",
        "lda",
        "LDA with 1,000 topics",
        "The same with many topics, where a sampler that weighs every one of them slows down.",
        f"{NEWS} --programs topicwright,tomotopy",
        {
            "tiny": "-k 5 --sweeps 4 --every 2 --no-memory",
            "small": "-k 1000 --sweeps 20 --every 5",
            "paper": "-k 1000 --sweeps 200 --every 20",
        },
        NEWS_DATA,
        lda_findings.lda,
        "After few sweeps likelihoods show the start more than the sampler.",
    ),
    Entry(
        "peers-threads",
        "lda",
        "LDA on two threads",
        "The same on one thread and on two. Ours gives the same answer on any number of threads; tomotopy's varies.",
        f"{NEWS} --programs topicwright,tomotopy --threads 2 --no-memory",
        {
            "tiny": "-k 3 --sweeps 4 --every 2",
            "small": "-k 100 --sweeps 40 --every 10",
            "paper": "-k 100 --sweeps 200 --every 20 --repeats 3",
        },
        NEWS_DATA,
        lda_findings.threads,
        "On a machine whose cores have other work this shows that work too.",
    ),
    Entry(
        "peers-accuracy",
        "medlda",
        "Accuracy: classes of new documents",
        "Test accuracy of supervised topics, with weights of words beside them and without, beside scikit-learn's "
        "linear support vector machine on TF-IDF, the same machine on topics of plain LDA, and tomotopy's sLDA with a "
        "binary response for each class; and NPMI of the topics, in training documents.",
        f"{NEWS} --part words",
        {
            "tiny": "-k 3 --sweeps 4",
            "small": "-k 40",
            "paper": "-k 40,100 --repeats 3",
        },
        "20 Newsgroups by date.",
        medlda_findings.words,
        "tomotopy has as many sweeps as ours; it and plain LDA have our priors. Its sLDA is meant for a few responses, "
        "not for twenty.",
    ),
    Entry(
        "peers-ranking-reuters",
        "medlda",
        "Label ranking: Reuters",
        "Labels of new documents in order, by Labeled LDA beside tomotopy's LLDA and PLDA (one topic a label, one for "
        "all), each by its own inference, and by a support vector machine on TF-IDF.",
        f"--corpus {DATA}/reuters21578.jsonl.xz --split split --part ranking",
        {"tiny": "--sweeps 4", "small": "", "paper": "--sweeps 200 --repeats 5"},
        "Reuters-21578, ModApte split, stories with topics.",
        medlda_findings.ranking,
        "Ours expects labels by how many documents have them, which tomotopy does not offer. Documents none of whose "
        "labels occur in training are left out.",
    ),
    Entry(
        "peers-ranking-delicious",
        "medlda",
        "Label ranking: delicious",
        "The same with many tags, and many a document.",
        f"--corpus {DATA}/delicious.jsonl.xz --split split --token-pattern '\\S+' --stop-words none --min-df 1 --part "
        "ranking",
        {"tiny": "--sweeps 4", "small": "", "paper": "--sweeps 200 --repeats 3"},
        "delicious (Mulan's set and split): 500 words, present or not.",
        medlda_findings.ranking,
    ),
    Entry(
        "peers-labels",
        "online",
        "Labeled LDA: speed",
        "CPU seconds of a sweep of batch Labeled LDA, beside tomotopy's LLDA.",
        f"--corpus {DATA}/delicious.jsonl.xz --token-pattern '\\S+' --stop-words none --min-df 1 --part batch",
        {"tiny": "--rounds 1 --warm-up 0", "small": "", "paper": "--repeats 3"},
        "delicious (Mulan's set), all of its documents and tags.",
        online_findings.batch,
    ),
)

SECTION = Section(
    "Beside other programs",
    "",
    ENTRIES,
    {},
)
