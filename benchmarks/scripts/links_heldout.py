"""Must-links on held-out documents of four corpora, and links within theme groups, over several seeds.

    python -m benchmarks.scripts.links_heldout --part pairs --corpus reuters --n-topics 50 --json links.jsonl
    python -m benchmarks.scripts.links_heldout --part themes --json links.jsonl
    python -m benchmarks.scripts.links_heldout --show links.jsonl

``pairs``: the links are the 100 of ``links_from_corpus`` and up to 100 frequent nouns with their plural. Every fifth
document is held out: coherence (NPMI of whole documents) and perplexity are of these. ``themes``: six words of each
class, from 20 labeled documents of it, are linked; as many topics as classes, and purity by the largest topic of each
document. The files are expected where ``reference_corpora`` expects them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import topicwright as tw

from ..common.averages import mean_and_error
from ..common.metrics import Completion
from ..common.tables import number, with_error
from .reference_corpora import data_file
from .reference_sclda import nips

ALPHA = 0.1
FILES = {"20ng": "20newsgroups.jsonl.xz", "reuters": "reuters21578.jsonl.xz", "arxiv": "arxiv100k.jsonl.xz"}
SIZES = {"20ng": 8000, "reuters": 9000, "arxiv": 10000}
THEMES = {
    "20ng": ["rec.sport.hockey", "sci.space", "sci.med", "talk.politics.mideast", "comp.graphics"],
    "20ng, others": ["rec.autos", "sci.crypt", "soc.religion.christian", "comp.sys.mac.hardware", "talk.politics.guns"],
    "reuters": ["earn", "acq", "crude", "trade", "money-fx", "grain"],
    "arxiv": ["quant-ph", "astro-ph.GA", "math.CO", "cond-mat.str-el", "cs.CL", "q-bio.PE"],
}
N_PER_CLASS, N_LABELED, N_THEME_WORDS = 700, 20, 6
FIGURES = ("npmi", "perplexity", "purity", "agreement", "seconds")
DIGITS = {"perplexity": 0, "seconds": 1}

Group = tuple[str, ...]


def load(name: str) -> tuple[tw.Corpus, tw.Corpus]:
    """Training and held-out documents."""
    corpus = nips() if name == "nips" else _encode(record["text"] for record in _records(name)[: SIZES[name]])
    is_heldout = np.arange(corpus.n_docs) % 5 == 4
    return corpus.select(~is_heldout), corpus.select(is_heldout)


def pairs_of(corpus: tw.Corpus) -> list[Group]:
    """Links from the corpus, and words with their plural."""
    links: list[Group] = [(a, b) for a, b in tw.links_from_corpus(corpus)]
    counts = dict(zip(map(str, corpus.vocabulary), corpus.word_counts().tolist()))
    plurals = [(word, word + "s") for word in counts if len(word) > 3 and word + "s" in counts]
    plurals.sort(key=lambda pair: -min(counts[word] for word in pair))
    known = {frozenset(link) for link in links}
    return links + [pair for pair in plurals[:100] if frozenset(pair) not in known]


def load_themes(name: str) -> tuple[tw.Corpus, NDArray[np.int64], list[Group]]:
    """Documents of some classes, the class of each, and typical words of each class."""
    classes, n, texts, labels = THEMES[name], dict.fromkeys(THEMES[name], 0), [], []
    for record in _records(name.partition(",")[0]):
        label = record["labels"][0]
        if label in n and n[label] < N_PER_CLASS:
            n[label] += 1
            texts.append(record["text"])
            labels.append(classes.index(label))
    corpus, truth = _encode(texts), np.array(labels)
    return corpus, truth, _typical_words(corpus, truth, len(classes))


def _typical_words(corpus: tw.Corpus, truth: NDArray[np.int64], n_classes: int) -> list[Group]:
    """Words in more of the labeled documents of a class than of the others; no word for two classes."""
    frequency = np.zeros((n_classes, corpus.n_words))
    docs = list(corpus)
    for k in range(n_classes):
        for d in np.flatnonzero(truth == k)[:N_LABELED]:
            frequency[k, np.unique(docs[d])] += 1
    used: set[int] = set()
    groups = []
    for k in range(n_classes):
        others = np.delete(frequency, k, axis=0).mean(axis=0)
        score = frequency[k] * np.log((frequency[k] + 0.5) / (others + 0.5))
        words = [w for w in np.argsort(-score, kind="stable").tolist() if w not in used][:N_THEME_WORDS]
        used |= set(words)
        groups.append(tuple(str(corpus.vocabulary[w]) for w in words))
    return groups


def _records(name: str) -> list[dict[str, Any]]:
    """Labeled texts in a random order; those of 20 Newsgroups without headers, of Reuters with one topic or more."""
    with lzma.open(data_file(FILES[name]), "rt", encoding="utf8") as lines:
        records = [record for record in map(json.loads, lines) if record["labels"]]
    if name == "20ng":
        records = [{**record, "text": record["text"].split("\n\n", 1)[-1]} for record in records]
    return [records[n] for n in np.random.default_rng(0).permutation(len(records))]


def _encode(texts: Iterable[str]) -> tw.Corpus:
    return tw.Corpus.from_texts(list(texts), stop_words="english", min_df=5)


def fit(
    corpus: tw.Corpus, links: Sequence[Group], firmness: float | None, n_topics: int, n_sweeps: int, seed: int
) -> tuple[tw.LDA, dict[str, float]]:
    """A model with links, its CPU seconds, and the agreement of linked words."""
    model = tw.LDA(
        n_topics,
        alpha=ALPHA,
        knowledge=[tw.MustLinks(links, firmness=firmness)],
        n_sweeps=n_sweeps,
        random_state=seed,
        evaluate_every=0,
        n_jobs=1,
    )
    started = time.process_time()
    model.fit(corpus)
    seconds = time.process_time() - started
    counts = model.topic_word_counts_.toarray()
    shares = dict(zip(map(str, model.vocabulary_), (counts / np.maximum(counts.sum(axis=0), 1)).T))
    pairs = [(a, b) for group in links for n, a in enumerate(group) for b in group[:n]]
    agreement = np.mean([np.minimum(shares[a], shares[b]).sum() for a, b in pairs])
    return model, {"seconds": seconds, "agreement": float(agreement)}


def evaluate(model: tw.LDA, corpus: tw.Corpus, heldout: tw.Corpus) -> dict[str, float]:
    """Coherence and perplexity on held-out documents."""
    phi = np.asarray(model.topic_word_)
    top = [corpus.vocabulary[words].tolist() for words in np.argsort(-phi, axis=1, kind="stable")[:, :10]]
    npmi = tw.evaluation.coherence(top, heldout, "npmi", window=0, per_topic=True)
    return {"npmi": float(np.nanmean(npmi)), "perplexity": Completion(heldout, ALPHA).perplexity(phi)}


def purity(model: tw.LDA, truth: NDArray[np.int64]) -> float:
    """Share of documents in the most frequent class of their largest topic."""
    table = np.zeros((model.n_topics, truth.max() + 1))
    np.add.at(table, (model.doc_topic_.argmax(axis=1), truth), 1)
    return float(table.max(axis=1).sum() / table.sum())


def show(path: Path) -> None:
    """Print the mean and standard error of each setting."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    print(f"| | | {' | '.join(FIGURES)} |\n| --- | --- |{' ---: |' * len(FIGURES)}")
    for task, firmness in dict.fromkeys((run["task"], run["firmness"]) for run in runs):
        rows = [run for run in runs if (run["task"], run["firmness"]) == (task, firmness)]
        cells = []
        for name in FIGURES:
            values = mean_and_error([row.get(name) for row in rows if name in row] or [None])
            digits = DIGITS.get(name, 3)
            cells.append(with_error(values, lambda x, digits=digits: number(x, digits)))  # type: ignore[misc]
        print(f"| {task} | {firmness} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["pairs", "themes"], default="pairs")
    parser.add_argument("--corpus", choices=["nips", *FILES], default="nips")
    parser.add_argument("--n-topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--firmness", type=lambda text: None if text == "none" else float(text), nargs="+")
    parser.add_argument("--json", type=Path, default=Path("links_heldout.jsonl"))
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return
    firmness = options.firmness or [0.0, tw.MustLinks([]).firmness]

    def run(task: str, corpus: tw.Corpus, links: list[Group], n_topics: int, measure: Any) -> None:
        for seed in range(options.seeds):
            for own in firmness:
                model, found = fit(corpus, links, own, n_topics, options.sweeps, seed)
                with options.json.open("a") as file:
                    file.write(
                        json.dumps({"task": task, "firmness": own, "seed": seed, **found, **measure(model)}) + "\n"
                    )

    if options.part == "pairs":
        corpus, heldout = load(options.corpus)
        task = f"{options.corpus}, K = {options.n_topics}"
        run(task, corpus, pairs_of(corpus), options.n_topics, lambda model: evaluate(model, corpus, heldout))
        return
    for name in THEMES:
        documents, truth, groups = load_themes(name)
        run(
            f"themes of {name}",
            documents,
            groups,
            len(groups),
            lambda model, truth=truth: {"purity": purity(model, truth)},
        )


if __name__ == "__main__":
    main()
