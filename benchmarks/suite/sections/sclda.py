"""Entries of the SC-LDA paper."""

from __future__ import annotations

from ...sclda import paper
from ..entries import DATA, Entry, Section
from ..findings import sclda as findings

NIPS = f"--links-corpus {DATA}/nips_uci.docword.txt.gz"
NEWS = f"--labels-corpus {DATA}/20newsgroups.jsonl.xz"
NIPS_DATA = "NIPS from the UCI repository, without words that occur 20 times or less. Nearly all tokens remain."
LINKS_DATA = NIPS_DATA + (
    " Links are derived from the corpus, the most similar words first. The paper's links come from WordNet and "
    "word2vec."
)
NEWS_DATA = (
    "20 Newsgroups with all headers, and words that occur in at least five posts. The paper uses a copy with two "
    "headers, Mallet's tokenizer, and words that occur ten times."
)

ENTRIES = (
    Entry(
        "sclda-figure1",
        "sclda",
        "Figure 1: number of topics per word",
        "The number of words that have 1, 2, 3, … topics after training. This sparsity makes the sampler fast. The "
        "paper plots it for the New York Times with 500 topics, and gives one value for NIPS with 100.",
        f"--part figure1 {NIPS}",
        {"tiny": "--sweeps 3 -k 4 --many-topics 8", "small": "--sweeps 100", "paper": "--sweeps 500 --repeats 3"},
        NIPS_DATA + " The New York Times corpus is not available, so 500 topics are trained on NIPS too, which has "
        "far fewer tokens.",
        findings.figure1,
    ),
    Entry(
        "sclda-table2",
        "sclda",
        "Table 2: cost of word links",
        "CPU seconds per sweep with 0, 100, 500 and 1,000 must-links, early and late in a run. The paper's rows are "
        "below ours.",
        f"--part table2 {NIPS}",
        {"tiny": "--sweeps 4 -k 4", "small": "--sweeps 100", "paper": "--sweeps 200 --repeats 3"},
        LINKS_DATA,
        findings.table2,
        "Compare the overheads, not the seconds: machines and programs differ. Hard links concentrate words in fewer "
        "topics, and sweeps over sparser rows are faster, so an overhead can be negative although links cost time.",
    ),
    Entry(
        "sclda-table3",
        "sclda",
        "Table 3: labeled documents, compared with dense Labeled LDA",
        "CPU seconds per sweep when some documents have labels, for our sampler and for one that evaluates every "
        "topic.",
        f"--part table3 {NEWS}",
        {"tiny": "--rounds 1 --warm-up 0", "small": "--rounds 6 --warm-up 4", "paper": "--rounds 90 --repeats 5"},
        NEWS_DATA,
        findings.table3,
        "The paper uses a dense program of other authors. Our dense baseline is optimized for speed.",
    ),
    Entry(
        "sclda-figure2",
        "sclda",
        "Figure 2: likelihood against time",
        "log p(w, z) of plain LDA against CPU seconds, for SC-LDA, DF-LDA, MRF-LDA and Logic-LDA with the same 100 "
        "links. The paper's figure has no numbers; in it, SC-LDA converges before all others.",
        f"--part figure2 {NIPS}",
        {"tiny": "--seconds 0.2 -k 4", "small": "--seconds 15", "paper": "--seconds 120 --repeats 3"},
        LINKS_DATA,
        findings.figure2,
        "The baselines are our own implementations. Logic-LDA uses closed-form counts where its authors' program "
        "samples pairs. Our sampler starts by drawing tokens one by one, the baselines start at random.",
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
        "UMass favors frequent words: topics look more coherent after a few sweeps than later. Compare methods that "
        "ran a few hundred sweeps. The comparison of our sampler with and without links is fair at any budget.",
    ),
    Entry(
        "sclda-labels",
        "sclda",
        "Beyond the paper: 100,000 labels",
        "Cost per token with three labels per document, by the total number of labels. The paper has no such table.",
        f"--part labels {NEWS}",
        {"tiny": "--rounds 1 --warm-up 0", "small": "--rounds 10 --warm-up 5", "paper": "--rounds 40 --repeats 3"},
        NEWS_DATA + " Labels are random, because only the cost is measured.",
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
