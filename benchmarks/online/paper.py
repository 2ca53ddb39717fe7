"""How the paper sets its program and what it reports, and our goals.

"Online Labeled LDA": Conf is 1,712 papers of four conferences with their authors' keywords, Twitter two million tweets
with hashtags. Its figures are plots and its tables are lost: the values here are those in the text. The documents at
which it measures are not known, nor are its threshold and its number of redraws.
"""

from __future__ import annotations

ALPHA, BETA = 0.1, 0.1
DATA = {"Conf": (1_712, None, None), "Twitter": (2_000_000, None, None)}  # Table 1, as far as the text gives it
SWEEPS = 1_000  # of batch Labeled LDA

# Tables 2 and 3: words that the text names as being among the first ten
WORDS = {
    "topic modeling": ("topic", "topics", "modeling"),
    "recommender systems": ("user", "item", "recommendation"),
}
PERPLEXITY = "Conf: the stream is below the batch; Twitter: both are close, the stream a little lower."
TIME = (
    "Conf: less than 400 s against more than 3,000 s, 8 times; Twitter: less than 6,000 s against more than 10,000 s."
)

MOST_PERPLEXITY = 1.01  # our goal: the stream's against that of a converged batch
LEAST_SPEEDUP = 30.0  # the stream's time against batches of 1,000 sweeps, all points together …
LEAST_CONVERGED = 4.0  # … and against batches that stop when they have converged
LEAST_RATE = 2e6  # token-particles a second
MOST_GROWTH = 1.15  # what a token costs in the last tenth of a stream to that in the second
MOST_OF_A_PAIR = 2.0  # bytes of a pair of label and word, with 100,000 labels to those with 1,000: rooms are doubled
LEAST_BATCH = 5.0  # a sweep of LabeledLDA against tomotopy's

FEWEST_DOCUMENTS = 1_000  # below these a run is too small to speak of goals
FEWEST_POINTS = 8  # of time: with fewer of them batches save by it, and the stream does not
STREAM_DOCUMENTS = 99_000  # speed is about arXiv; a few documents may have no words
MILLION = 990_000
ALL_LABELS = 0.99  # share of 100,000 labels that must have been seen
FEWEST_LABELS = 900  # batch is about a thousand labels
