"""The SC-LDA paper, entry by entry."""

from __future__ import annotations

from ...sclda import paper
from ..entries import DATA, Entry, Section
from ..findings import sclda as findings

NIPS = f"--links-corpus {DATA}/nips_uci.docword.txt.gz"
NEWS = f"--labels-corpus {DATA}/20newsgroups.jsonl.xz"
NIPS_DATA = "UCI's NIPS without words that occur 20 times or less, which leaves nearly all of its tokens."
LINKS_DATA = NIPS_DATA + (
    " Links come from the corpus itself, the most similar words first; the paper's, from WordNet and word2vec, are "
    "other pairs."
)
NEWS_DATA = (
    "20 Newsgroups as posted, all headers in, words of at least five posts. The paper took a copy with two headers, "
    "Mallet's tokenizer and words that occur ten times."
)

ENTRIES = (
    Entry(
        "sclda-figure1",
        "sclda",
        "Figure 1: how few topics a word has",
        "How many words have 1, 2, 3, … topics after training: the sparsity that makes the sampler quick. The paper "
        "draws it for the New York Times with 500 topics, and names a figure for NIPS with 100.",
        f"--part figure1 {NIPS}",
        {"tiny": "--sweeps 3 -k 4 --many-topics 8", "small": "--sweeps 100", "paper": "--sweeps 500 --repeats 3"},
        NIPS_DATA + " The New York Times can't be had here, so 500 topics are of NIPS too, which has far fewer tokens.",
        findings.figure1,
    ),
    Entry(
        "sclda-table2",
        "sclda",
        "Table 2: what word links cost",
        "CPU seconds of a sweep with 0, 100, 500 and 1,000 must-links, early and late in a run. The paper's own rows "
        "stand below ours.",
        f"--part table2 {NIPS}",
        {"tiny": "--sweeps 4 -k 4", "small": "--sweeps 100", "paper": "--sweeps 200 --repeats 3"},
        LINKS_DATA,
        findings.table2,
        "Seconds are of two machines and two programs: the overheads compare. Hard links gather words in fewer topics, "
        "and sweeps of sparser rows are quicker, so an overhead may even be negative although a link is work.",
    ),
    Entry(
        "sclda-table3",
        "sclda",
        "Table 3: labeled documents beside dense Labeled LDA",
        "CPU seconds of a sweep when some documents have labels, ours beside a sampler that weighs every topic.",
        f"--part table3 {NEWS}",
        {"tiny": "--rounds 1 --warm-up 0", "small": "--rounds 6 --warm-up 4", "paper": "--rounds 90 --repeats 5"},
        NEWS_DATA,
        findings.table3,
        "The paper's dense program is another author's; ours was written for speed.",
    ),
    Entry(
        "sclda-figure2",
        "sclda",
        "Figure 2: likelihood against time",
        "log p(w, z) of plain LDA against CPU seconds: SC-LDA beside DF-LDA, MRF-LDA and Logic-LDA with the same 100 "
        "links. In the paper, whose figure has no numbers, SC-LDA converges before all others.",
        f"--part figure2 {NIPS}",
        {"tiny": "--seconds 0.2 -k 4", "small": "--seconds 15", "paper": "--seconds 120 --repeats 3"},
        LINKS_DATA,
        findings.figure2,
        "The baselines are our own, each a sampler of its own; Logic-LDA has closed counts where its authors' program "
        "samples pairs. Ours places tokens one by one at the start, the baselines at random.",
    ),
    Entry(
        "sclda-figure3",
        "sclda",
        "Figure 3: coherence after the same time",
        "UMass coherence of all topics and of the 20 best, 500 topics, 100 links. The paper trains for an hour.",
        f"--part figure3 {NIPS}",
        {"tiny": "--seconds 0.2 --many-topics 4", "small": "--seconds 15", "paper": "--seconds 600 --repeats 5"},
        LINKS_DATA,
        findings.figure3,
        "UMass likes frequent words: topics of a sampler that has hardly begun look more coherent than later ones. "
        "Compare methods with some hundred sweeps; ours with links beside ours without is fair at any budget.",
    ),
    Entry(
        "sclda-labels",
        "sclda",
        "Beyond the paper: 100,000 labels",
        "Cost of a token with three labels per document, by the number of labels in all. The paper has no such table.",
        f"--part labels {NEWS}",
        {"tiny": "--rounds 1 --warm-up 0", "small": "--rounds 10 --warm-up 5", "paper": "--rounds 40 --repeats 3"},
        NEWS_DATA + " Labels are random: this is about cost alone.",
        findings.labels,
    ),
)

SECTION = Section(
    "Knowledge: SC-LDA",
    "Y. Yang, D. Downey and J. Boyd-Graber, *Efficient Methods for Incorporating Knowledge into Topic Models*, EMNLP "
    "2015.",
    ENTRIES,
    paper.DATA,
)
