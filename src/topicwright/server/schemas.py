"""Schemas of requests and responses. The server validates requests, tests validate responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

Id = Annotated[str, Field(max_length=1000)] | int
TAGS = PLAIN, TEXT, WORDS = "a text", "with text", "with words"  # of the kinds of documents; never part of a field path


def _number_as_text(value: Any) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else value


Name = Annotated[str, BeforeValidator(_number_as_text, json_schema_input_type=str | int)]  # classes may be numbers


class RequestBody(BaseModel):
    """Body of a request: strict JSON types, unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _DocumentFields(RequestBody):
    id: Id | None = Field(None, description="Its id in the response; by default its number, from 1.")
    labels: list[Name] | None = Field(None, max_length=1000, description="Its labels, for own_labels.")


class TextDocument(_DocumentFields):
    """Document as a text."""

    text: str = Field(description="The text.")


class WordsDocument(_DocumentFields):
    """Document as a list of words."""

    words: list[str] = Field(description="Its words, as in the vocabulary of the model.")


def _document_kind(value: Any) -> str | None:
    if isinstance(value, str):
        return PLAIN
    if isinstance(value, WordsDocument) or (isinstance(value, dict) and "words" in value and "text" not in value):
        return WORDS
    return TEXT if isinstance(value, (dict, TextDocument)) else None


Document = Annotated[
    Annotated[str, Tag(PLAIN)] | Annotated[TextDocument, Tag(TEXT)] | Annotated[WordsDocument, Tag(WORDS)],
    Discriminator(
        _document_kind,
        custom_error_type="document",
        custom_error_message='must be a text, or an object such as {"id": "a1", "text": "…"}',
    ),
]
_Documents = Annotated[
    list[Document], Field(description="List of documents.", examples=[["a first text", {"id": "a1", "text": "…"}]])
]
_Candidates = Annotated[
    list[Name] | None,
    Field(min_length=1, max_length=10_000, description="Labels to choose from (models of labels only)."),
]


class TransformRequest(RequestBody):
    """Request for the topics of documents."""

    documents: _Documents
    min_weight: float = Field(0.01, ge=0, le=1, description="Omit topics with a smaller probability.")
    top: int | None = Field(5, ge=1, description="Number of topics per document, the largest first; null for all.")
    dense: bool = Field(False, description="Return the probabilities of all topics, in their order.")


class PredictRequest(RequestBody):
    """Request for predictions."""

    documents: _Documents
    top: int | None = Field(
        None, ge=1, le=1000, description="Return this number of best classes instead of the prediction."
    )
    threshold: float | None = Field(
        None, gt=0, lt=1, description="Predict labels with at least this share of the document (models of labels only)."
    )
    candidates: _Candidates = None


class ExplainRequest(RequestBody):
    """Request for explanations."""

    documents: _Documents
    classes: list[Name] | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Classes to explain; by default the predicted ones and their rival.",
    )
    top: int | None = Field(
        None, ge=1, le=100, description="Number of topics, of words for and against (6), or of passages per label (1)."
    )
    candidates: _Candidates = None
    own_labels: bool = Field(
        False, description="Attribute words to the labels of the document (models of labels only)."
    )
    snippets: bool = Field(False, description="Return passages instead of the document (models of labels only).")
    length: int | None = Field(None, ge=1, le=1000, description="Words per passage (20); needs snippets.")


# ---------------------------------------------------------------------- responses


class ResponseModel(BaseModel):
    """Part of a response."""

    model_config = ConfigDict(extra="forbid")


class ErrorResponse(ResponseModel):
    """Error of a request, in one sentence."""

    error: str


class HealthResponse(ResponseModel):
    """State of the server."""

    status: Literal["ok"]


class ModelResponse(ResponseModel):
    """Kind, size and abilities of the model."""

    kind: str = Field(description="Python class of the model.")
    topicwright: str = Field(description="Version of the server.")
    topics: int | None = Field(description="Number of topics; null if each class has separate topics.")
    vocabulary: int = Field(description="Number of words in the vocabulary.")
    takes: Literal["texts or words", "words"]
    predicts: Literal["classes", "labels", "numbers"] | None
    classes: list[str | float | bool] | None = Field(description="Classes or labels that the model predicts.")
    can: list[str] = Field(description="Paths that this model supports.")
    loaded: str = Field(description="When the model was loaded.")
    digest: str | None = Field(description="SHA-256 digest of the model file.")
    limits: dict[str, int] = Field(
        description="Maximum bytes of a body, documents per request, and characters of a document."
    )


class Word(ResponseModel):
    """Word of a topic."""

    word: str
    probability: float


class Topic(ResponseModel):
    """A topic."""

    topic: int
    name: str | None = None
    weight: float = Field(description="Share of all words.")
    words: list[Word]
    coef: dict[str, float] | None = Field(None, description="Weight for each class or target.")
    documents: int | None = Field(None, description="Number of documents with the label.")


class _DocumentResponse(ResponseModel):
    id: str | int
    n_unknown: int = Field(description="Number of words of the document outside the vocabulary.")


class SharesResponse(_DocumentResponse):
    """Topics or labels of a document with their probabilities, the most probable first; or all in order.

    Probabilities include the prior: those of a short document are close to it. A document without a known word has no
    topics, or the prior if all were requested.
    """

    topics: list[tuple[int, float]] | list[float] | None = None
    labels: list[tuple[str, float]] | list[float] | None = None


Class = str | float | bool


class PredictionResponse(_DocumentResponse):
    """Prediction for a document; a regression model returns neither score nor probability.

    Prediction and score of a document without a known word are null, or empty lists if it may have several labels.
    """

    prediction: Class | list[Class] | None = None
    score: float | list[float] | None = None
    probability: float | list[float] | None = None
    top: list[tuple[Class, float]] | None = Field(None, description="Best classes, if top was set.")


class TopicReason(ResponseModel):
    """Contribution of a topic to a score."""

    topic: int
    name: str | None
    share: float = Field(description="Expected share of the known words that have the topic, without the prior.")
    weight: float
    contribution: float
    words: list[str]


class WordReason(ResponseModel):
    """Contribution of a word to a score."""

    word: str
    times: int
    contribution: float
    by_itself: float


class Reason(ResponseModel):
    """Score of a class or target and its contributions."""

    what: Class
    score: float
    intercept: float
    topics: list[TopicReason]
    words: list[WordReason]
    from_words: float
    probability: float | None = Field(description="Probability of a class, if the model has probabilities.")


class ExplanationResponse(_DocumentResponse):
    """Explanation of the prediction of a classifier or a regression model."""

    prediction: Class | list[Class] | None
    reasons: list[Reason]


class LabelWordResponse(ResponseModel):
    """Word attributed to a label."""

    word: str
    times: int
    probability: float


class LabelOfDocument(ResponseModel):
    """Label with its words."""

    label: Class
    share: float = Field(description="Share of the known words that are attributed to the label.")
    background: bool
    words: list[LabelWordResponse]


class WordOfDocument(ResponseModel):
    """Token of a document and the label it is attributed to; null for words outside the vocabulary."""

    text: str
    word: str | None
    label: Class | None
    probability: float
    start: int | None
    end: int | None


class _LabeledResponse(_DocumentResponse):
    prediction: Class | list[Class] | None
    probability: float | list[float] | None
    own_labels: list[Class] | None = None


class AttributionResponse(_LabeledResponse):
    """Per-word label attribution of a document."""

    text: str | None
    labels: list[LabelOfDocument]
    words: list[WordOfDocument]


class SnippetResponse(ResponseModel):
    """Passage about a label."""

    label: Class
    text: str
    score: float
    first: int
    last: int
    start: int | None
    end: int | None


class PassagesResponse(_LabeledResponse):
    """Passages of a document."""

    snippets: list[SnippetResponse]


class _BatchResponse(ResponseModel):
    words: int = Field(description="Number of words of the documents.")
    unknown: int = Field(description="Number of words outside the vocabulary, which were skipped.")


class TransformResponse(_BatchResponse):
    """Results in the order of the documents."""

    documents: list[SharesResponse]


class PredictResponse(_BatchResponse):
    """Results in the order of the documents."""

    documents: list[PredictionResponse]


class ExplainResponse(_BatchResponse):
    """Results in the order of the documents."""

    documents: list[ExplanationResponse | AttributionResponse | PassagesResponse]
