"""Updates of fitted models with new documents, by which topics keep their numbers."""
