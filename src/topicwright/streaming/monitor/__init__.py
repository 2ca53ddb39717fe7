"""Monitoring of a stream: drift, mislabeled documents, emerging labels."""
