"""The paper on Online Labeled LDA, entry by entry."""

from __future__ import annotations

from ...online import paper
from ..entries import DATA, Entry, Section
from ..findings import online as findings

ACM = f"--corpus {DATA}/acm.docword.txt.gz --stop-words lrb,rrb,lsb,rsb --label-min-df 2"
ARXIV = f"--corpus {DATA}/arxiv100k.jsonl.xz"
ACM_DATA = (
    "Full ACM papers with their authors' keywords, those that occur twice, in place of the paper's Conf (conference "
    "papers), which is not public."
)
ARXIV_DATA = "arXiv abstracts by date with their categories, in place of two million tweets with hashtags."
POINTS = (
    "Perplexity of the next documents given their labels, and training time, against documents seen: a stream beside "
    "batches trained from scratch at each point. The paper's figures have no numbers; what its text says is below."
)
SETTINGS = (
    "The stream has our defaults; “paper's settings” are a particle filter as in the paper, whose threshold and number "
    "of redraws are not known. The time of 1,000 sweeps is reckoned from those until convergence."
)

ENTRIES = (
    Entry(
        "online-table2",
        "online",
        "Table 2: words of labels, papers",
        "The first words of labels, from streams and from batches, and how far they agree over all labels. The paper's "
        "table is lost; its text names words of two labels.",
        f"{ACM} --part topics --peers none",
        {"tiny": "--sweeps 3", "small": "", "paper": "--repeats 3"},
        ACM_DATA,
        findings.topics,
    ),
    Entry(
        "online-table3",
        "online",
        "Table 3: words of labels, a long stream",
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
        "Tokens a second with ten particles, and what a token costs, tenth by tenth of the stream's life.",
        f"{ARXIV} --part speed --min-df 1 --stop-words none",
        {"tiny": "--particles 2", "small": "--documents 20000", "paper": "--repeats 3"},
        "arXiv abstracts with all words.",
        findings.speed,
    ),
    Entry(
        "online-million",
        "online",
        "Beyond the paper: a stream that never stops to grow",
        "The documents come again and again, each time with some new words and labels: cost and memory.",
        f"{ARXIV} --part million",
        {"tiny": "--passes 2", "small": "--documents 10000 --passes 8", "paper": "--passes 10"},
        "arXiv abstracts.",
        findings.million,
    ),
    Entry(
        "online-labels",
        "online",
        "Beyond the paper: 100,000 labels in a stream",
        "What the stream's memory follows, with 1,000 to 100,000 labels.",
        f"{ARXIV} --part labels",
        {"tiny": "", "small": "--documents 20000", "paper": ""},
        "arXiv abstracts with random labels: this is about memory alone.",
        findings.labels,
    ),
)

SECTION = Section(
    "Streams: Online Labeled LDA",
    "*Online Labeled LDA*: Labeled LDA over a stream of tagged documents, by a particle filter.",
    ENTRIES,
    paper.DATA,
)
