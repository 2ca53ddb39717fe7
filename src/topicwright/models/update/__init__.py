"""Updates of fitted models with new documents, by which topics keep their numbers.

The counts of the documents so far are fixed, get the weight that ``memory`` gives them, and count in every draw.
``inputs.py`` prepares a model for new documents, ``new_topics.py`` opens topics on held-out evidence, and ``report.py``
says what changed.
"""
