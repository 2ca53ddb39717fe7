"""Model files without pickle, and exports of fitted models for other tools."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._utils.atomic import StrPath
from ..errors import InputError, ModelFileError
from .fields import ModelFields, corpus_from_fields, corpus_to_arrays, pack_strings, unpack_strings
from .model_file import FORMAT_VERSION, ModelFile, read_model, write_model

__all__ = [
    "FORMAT_VERSION",
    "KINDS",
    "ModelFields",
    "ModelFile",
    "corpus_from_fields",
    "corpus_to_arrays",
    "load",
    "pack_strings",
    "read_model",
    "unpack_strings",
    "write_model",
]

KINDS: dict[str, str] = {
    "labeled-lda": "topicwright.models.labeled.model:LabeledLDA",
    "lda": "topicwright.models.lda:LDA",
    "medlda-classifier": "topicwright.models.medlda.classifier:MedLDAClassifier",
    "medlda-regressor": "topicwright.models.medlda.regressor:MedLDARegressor",
    "online-lda": "topicwright.models.online.lda:OnlineLDA",
    "online-labeled-lda": "topicwright.models.online.model:OnlineLabeledLDA",
}
"""Class of each kind of model file, as ``module:class``, which is imported when a file of that kind is loaded."""


def load(path: StrPath) -> Any:
    """Load a model that was written with ``save``.

    Files hold no code, so that files of unknown origin are safe to load.

    Parameters
    ----------
    path : path
        A model file.

    Returns
    -------
    LDA, LabeledLDA, MedLDAClassifier, MedLDARegressor, OnlineLabeledLDA or OnlineLDA
        The fitted model.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or was written by a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import topicwright as tw
    >>> lda = tw.LDA(n_topics=2, n_sweeps=5).fit(["red apples", "green grass"])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     lda.save(f"{directory}/fruit.tw")
    ...     tw.load(f"{directory}/fruit.tw").n_topics
    2
    """
    file = read_model(path)
    if file.kind not in KINDS:
        known = ", ".join(sorted(KINDS))
        raise ModelFileError(f"{file.path} holds a model of unknown kind {file.kind[:60]!r}; known kinds: {known}")
    module, _, name = KINDS[file.kind].partition(":")
    model_class = getattr(import_module(module), name)
    try:
        return model_class.from_file(file)
    except InputError as error:  # from the validation of the model itself, on a hostile file
        raise ModelFileError(f"{file.path} is damaged or was edited: {error}") from error
