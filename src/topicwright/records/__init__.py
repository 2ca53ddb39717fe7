"""What is told of a model and of documents, as records that JSON can hold: the same from the shell and over HTTP."""
