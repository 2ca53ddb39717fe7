"""The version, in the one place that the package, the build and the model files read it from."""

__version__ = "0.1.0"
