"""Entries of the paper on Online Labeled LDA."""

from __future__ import annotations

from ...online import paper
from ..entries import DATA, Entry, Section
from ..findings import online as findings

ACM = f"--corpus {DATA}/acm.docword.txt.gz --stop-words lrb,rrb,lsb,rsb --label-min-df 2"
ARXIV = f"--corpus {DATA}/arxiv100k.jsonl.xz"
ACM_DATA = (
    "Full ACM papers with the keywords of their authors that occur at least twice. They replace the paper's corpus "
    "Conf (conference papers), which is not public."
)
ARXIV_DATA = "arXiv abstracts by date, with their categories. They replace two million tweets with hashtags."
POINTS = (
    "Perplexity of the next documents given their labels, and training time, by the number of documents seen. A "
    "stream is compared with batches that are trained from scratch at each point. The paper's figures have no "
    "numbers; the values of its text are below."
)
SETTINGS = (
    "The stream uses our defaults. “Paper's settings” is a particle filter as in the paper; its threshold and number "
    "of redraws are unknown. The time of 1,000 sweeps is extrapolated from the sweeps until convergence."
)

ENTRIES = (
    Entry(
        "online-table2",
        "online",
        "Table 2: top words of labels, papers",
        "The top words of labels, from streams and from batches, and how far they agree over all labels. The paper's "
        "table is not available; its text gives words of two labels.",
        f"{ACM} --part topics --peers none",
        {"tiny": "--sweeps 3", "small": "", "paper": "--repeats 3"},
        ACM_DATA,
        findings.topics,
    ),
    Entry(
        "online-table3",
        "online",
        "Table 3: top words of labels, a long stream",
        "The same for the larger corpus.",
        f"{ARXIV} --part topics --peers none",
        {"tiny": "--sweeps 3", "small": "--documents 20000", "paper": ""},
        ARXIV_DATA,
        findings.topics,
    ),
    Entry(
        "online-figures23-papers",
        "online",
        "Figures 2 and 3: perplexity and time, papers",
        POINTS,
        f"{ACM} --part perplexity --part time --peers none",
        {
            "tiny": "--sweeps 3 --every 20 --held-out 10",
            "small": "--every 600 --held-out 100",
            "paper": "--every 200 --held-out 100 --repeats 3",
        },
        ACM_DATA,
        findings.points,
        SETTINGS,
    ),
    Entry(
        "online-figures23-stream",
        "online",
        "Figures 2 and 3: perplexity and time, a long stream",
        POINTS,
        f"{ARXIV} --part perplexity --part time --peers none",
        {
            "tiny": "--sweeps 3 --every 20 --held-out 10",
            "small": "--documents 20000 --every 4000",
            "paper": "--repeats 3",
        },
        ARXIV_DATA,
        findings.points,
        SETTINGS,
    ),
    Entry(
        "online-speed",
        "online",
        "Beyond the paper: speed of the stream",
        "Tokens per second with ten particles, and the cost per token in each tenth of the stream.",
        f"{ARXIV} --part speed --min-df 1 --stop-words none",
        {"tiny": "--particles 2", "small": "--documents 20000", "paper": "--repeats 3"},
        "arXiv abstracts with all words.",
        findings.speed,
    ),
    Entry(
        "online-million",
        "online",
        "Beyond the paper: a stream that keeps growing",
        "Cost and memory when the documents are repeated, each time with some new words and labels.",
        f"{ARXIV} --part million",
        {"tiny": "--passes 2", "small": "--documents 10000 --passes 8", "paper": "--passes 10"},
        "arXiv abstracts.",
        findings.million,
    ),
    Entry(
        "online-labels",
        "online",
        "Beyond the paper: 100,000 labels in a stream",
        "Memory of the stream with 1,000 to 100,000 labels.",
        f"{ARXIV} --part labels",
        {"tiny": "", "small": "--documents 20000", "paper": ""},
        "arXiv abstracts with random labels, because only the memory is measured.",
        findings.labels,
    ),
)

SECTION = Section(
    "Streams: Online Labeled LDA",
    "*Online Labeled LDA*: Labeled LDA over a stream of tagged documents, by a particle filter.",
    ENTRIES,
    paper.DATA,
)
