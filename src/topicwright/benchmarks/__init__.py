"""Speed and quality beside other programs, measured in one way for all: ``topicwright benchmark``."""
