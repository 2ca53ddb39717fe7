"""Entries of the LightMedLDA paper."""

from __future__ import annotations

from ...medlda import paper
from ..entries import DATA, Entry, Section
from ..findings import medlda as findings

NEWS = f"--corpus {DATA}/20newsgroups.jsonl.xz --split split"
NEWS_DATA = "20 Newsgroups by date, the corpus of the paper."
NO_NUMBERS = "The paper's figure has no numbers; the last column has the values given in its text."
PRIORS = "Parameters are those of the paper."
TINY = "-k 3 --sweeps 4"

ENTRIES = (
    Entry(
        "medlda-figure1",
        "medlda",
        "Figure 1: two newsgroups",
        "Test accuracy and training time on two groups that are hard to distinguish, by the number of topics. "
        f"{NO_NUMBERS}",
        f"{NEWS} --part figure1",
        {
            "tiny": TINY,
            "small": "-k 10,20,40,100 --repeats 2",
            "paper": "-k 10,20,40,60,80,100 --repeats 5",
        },
        NEWS_DATA + " The two groups have two more posts than in the paper.",
        findings.figure1,
        PRIORS,
    ),
    Entry(
        "medlda-figure2",
        "medlda",
        "Figure 2: all newsgroups",
        "Twenty classes, one-vs-rest and with shared topics, by LightMedLDA and by dense Gibbs sampling. The figure "
        "has no numbers. The last column is the authors' program, run on this corpus with the same number of topics.",
        f"{NEWS} --part figure2",
        {
            "tiny": TINY,
            "small": "-k 20 --sweeps 12 --peers svc",
            "paper": "-k 20,40,100,200,400 --dense-topics 100 --repeats 3",
        },
        NEWS_DATA,
        findings.beside_dense("figure2"),
        PRIORS,
    ),
    Entry(
        "medlda-figure3",
        "medlda",
        "Figure 3: several labels per document",
        f"Micro and macro F1, training time and memory for documents with several labels. {NO_NUMBERS}",
        f"--corpus {DATA}/reuters21578.jsonl.xz --split split --part figure3",
        {
            "tiny": f"{TINY} --no-memory",
            "small": "-k 40 --dense-topics 0 --sweeps 40",
            "paper": "-k 40,100,200 --dense-topics 40 --repeats 3",
        },
        "Reuters-21578, ModApte split. The paper's 1.1 million Wikipedia pages with 20 classes are not available, so "
        "the F1 values cannot be compared.",
        findings.beside_dense("figure3"),
        PRIORS,
    ),
    Entry(
        "medlda-figure4",
        "medlda",
        "Figure 4: the logistic loss",
        "Twenty classes with the logistic loss instead of the hinge loss, with compositional proposals and with "
        "dense draws. The paper reports comparable accuracy in far less time.",
        f"{NEWS} --part figure4",
        {"tiny": TINY, "small": "-k 20", "paper": "-k 20,40,100,200 --repeats 3"},
        NEWS_DATA,
        findings.beside_dense("figure4", "Light-sLDA", "Gibbs-sLDA"),
        PRIORS,
    ),
    Entry(
        "medlda-figure5",
        "medlda",
        "Figure 5: ratings",
        "Predictive R² of a numeric target. The paper reports comparable R² in far less time.",
        f"--corpus {DATA}/movie_scale.jsonl.xz --target rating --part figure5",
        {
            "tiny": TINY,
            "small": "-k 10,20,40",
            "paper": "-k 10,20,40,60,80,100 --repeats 3",
        },
        "Movie reviews with ratings (Pang and Lee's scale data), one random review in five held out. The paper's "
        "hotel reviews are not available.",
        findings.beside_dense("figure5"),
        "Ratings are scaled to variance 1, so C differs from the paper. Other parameters are those of the paper.",
    ),
    Entry(
        "medlda-figure6",
        "medlda",
        "Figure 6: combinations of proposals",
        "Accuracy and time with a mixture of proposals, a cycle of proposals, and each proposal alone.",
        f"{NEWS} --part figure6",
        {"tiny": TINY, "small": "-k 200", "paper": "-k 20,40,100,200,400 --repeats 3"},
        NEWS_DATA,
        findings.among("figure6", "mixture", "the mixture is best, a cycle is far worse, and exp alone is worst"),
        "All our proposals are corrected exactly. A cycle with a biased proposal would be worse.",
    ),
    Entry(
        "medlda-figure7",
        "medlda",
        "Figure 7: Metropolis steps per token",
        "Accuracy and time with 1 to 10 steps.",
        f"{NEWS} --part figure7",
        {"tiny": TINY, "small": "-k 200", "paper": "-k 20,40,100,200,400 --repeats 3"},
        NEWS_DATA,
        findings.among("figure7", "6 steps", "more steps are more accurate and slower; six are the best compromise"),
    ),
    Entry(
        "medlda-figure8",
        "medlda",
        "Figure 8: draws of the weights",
        "Accuracy and time with 1 to 8 draws of the weights per sweep.",
        f"{NEWS} --part figure8",
        {"tiny": TINY, "small": "-k 200", "paper": "-k 20,40,100,200,400 --repeats 3"},
        NEWS_DATA,
        findings.among("figure8", "2 sweeps", "accuracy hardly changes, so one or two are enough"),
    ),
    Entry(
        "medlda-curves",
        "medlda",
        "Beyond the paper: comparison with the authors' program",
        "Test accuracy against CPU time of training, with our parameters. The last columns show what the authors' "
        "C++ program reached on this corpus, on one thread of an idle machine.",
        f"{NEWS} --part curves --dense-topics 0",
        {
            "tiny": "-k 3 --seconds 0.1",
            "small": "-k 40 --seconds 20 --every 8",
            "paper": "-k 40,200 --seconds 60 --every 4 --repeats 3",
        },
        NEWS_DATA,
        findings.curves,
        "The seconds of their program were measured once, separately from this run.",
    ),
    Entry(
        "medlda-speed",
        "medlda",
        "Beyond the paper: cost of a sweep",
        "CPU seconds per sweep, with compositional proposals and with dense draws, by the number of topics.",
        f"{NEWS} --part speed",
        {
            "tiny": "-k 3,4 --rounds 1 --warm-up 0",
            "small": "-k 20,40,200,400 --rounds 3 --warm-up 1",
            "paper": "-k 20,40,100,200,400 --dense-topics 400 --rounds 10",
        },
        NEWS_DATA,
        findings.speed,
    ),
)

SECTION = Section(
    "Supervised topics: LightMedLDA",
    "X. Zheng, Y. Yu and E. P. Xing, *Linear Time Samplers for Supervised Topic Models using Compositional "
    "Proposals*, KDD 2015. LightMedLDA is our sampler with compositional proposals. GibbsMedLDA is our dense "
    "sampler; it draws weights by a Cholesky decomposition.",
    ENTRIES,
    paper.DATA,
)
