"""Online Labeled LDA."""
