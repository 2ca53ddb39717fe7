"""Speed and quality beside other programs, measured in one way for all: what ``topicwright benchmark`` runs."""
