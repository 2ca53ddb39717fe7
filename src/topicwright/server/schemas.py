"""What is asked and answered: requests are checked against these, and tests check answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

Id = Annotated[str, Field(max_length=1000)] | int
TAGS = PLAIN, TEXT, WORDS = "a text", "with text", "with words"  # of kinds of documents; not part of any field's name


def _named(value: Any) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else value


Name = Annotated[str, BeforeValidator(_named, json_schema_input_type=str | int)]  # classes may be numbers


class RequestBody(BaseModel):
    """Types as JSON has them, and no field that is not known: a typing error is told."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Known(RequestBody):
    id: Id | None = Field(None, description="What to call it in the answer; by default its number, from 1.")
    labels: list[Name] | None = Field(None, max_length=1000, description="Its own labels, for own_labels.")


class TextDocument(_Known):
    """A text."""

    text: str = Field(description="The text.")


class WordsDocument(_Known):
    """A document that is cut into words already."""

    words: list[str] = Field(description="Its words, as the model knows them.")


def _kind(value: Any) -> str | None:
    if isinstance(value, str):
        return PLAIN
    if isinstance(value, WordsDocument) or (isinstance(value, dict) and "words" in value and "text" not in value):
        return WORDS
    return TEXT if isinstance(value, (dict, TextDocument)) else None


Document = Annotated[
    Annotated[str, Tag(PLAIN)] | Annotated[TextDocument, Tag(TEXT)] | Annotated[WordsDocument, Tag(WORDS)],
    Discriminator(
        _kind,
        custom_error_type="document",
        custom_error_message='must be a text, or an object such as {"id": "a1", "text": "…"}',
    ),
]
_Documents = Annotated[
    list[Document], Field(description="Documents, in a list.", examples=[["a first text", {"id": "a1", "text": "…"}]])
]
_Candidates = Annotated[
    list[Name] | None,
    Field(min_length=1, max_length=10_000, description="For a model of labels: the labels to choose from."),
]


class Transform(RequestBody):
    """What to find the topics of."""

    documents: _Documents
    min_weight: float = Field(0.01, ge=0, le=1, description="Leave out topics below this share.")
    top: int | None = Field(5, ge=1, description="Give the largest so many topics of a document; null for all.")
    dense: bool = Field(False, description="Give the shares of all topics, in order of topics, small ones too.")


class Predict(RequestBody):
    """What to predict for."""

    documents: _Documents
    top: int | None = Field(
        None, ge=1, le=1000, description="Give the best so many classes, in place of the prediction."
    )
    threshold: float | None = Field(
        None, gt=0, lt=1, description="For a model of labels: give those that have such a share of the document."
    )
    candidates: _Candidates = None


class Explain(RequestBody):
    """What to explain."""

    documents: _Documents
    classes: list[Name] | None = Field(
        None, min_length=1, max_length=100, description="Why or why not these classes; by default what is predicted."
    )
    top: int | None = Field(None, ge=1, le=100, description="Topics and words to name (6), or passages of a label (1).")
    candidates: _Candidates = None
    own_labels: bool = Field(False, description="For a model of labels: owe words to the labels that a document has.")
    snippets: bool = Field(False, description="For a model of labels: give passages, in place of the document.")
    length: int | None = Field(None, ge=1, le=1000, description="Words of a passage (20); goes with snippets.")


# ---------------------------------------------------------------------- answers


class Answered(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(extra="forbid")


class Problem(Answered):
    """Why there is no answer, in a sentence."""

    error: str


class Health(Answered):
    """That the server runs."""

    status: Literal["ok"]


class About(Answered):
    """What the model is, and what may be asked of it."""

    kind: str = Field(description="The class of the model, as in Python.")
    topicwright: str = Field(description="The version of the server.")
    topics: int | None = Field(description="How many topics it has; null where each class has topics of its own.")
    vocabulary: int = Field(description="How many words it knows.")
    takes: Literal["texts or words", "words"]
    predicts: Literal["classes", "labels", "numbers"] | None
    classes: list[str | float | bool] | None = Field(description="The classes or labels that it predicts.")
    can: list[str] = Field(description="The paths that this model can answer.")
    limits: dict[str, int] = Field(description="Bytes of a body, documents in it, characters of a document, …")


class Word(Answered):
    """A word of a topic."""

    word: str
    probability: float


class Topic(Answered):
    """A topic."""

    topic: int
    name: str | None = None
    weight: float = Field(description="Its share of all words.")
    words: list[Word]
    coef: dict[str, float] | None = Field(None, description="Its weight in each class or number.")
    documents: int | None = Field(None, description="How many documents have the label.")


class _OfDocument(Answered):
    id: str | int


class SharesResponse(_OfDocument):
    """Topics or labels of a document with their shares, the largest first; or the shares alone, in order of topics."""

    topics: list[tuple[int, float]] | list[float] | None = None
    labels: list[tuple[str, float]] | list[float] | None = None


Class = str | float | bool


class Predicted(_OfDocument):
    """What a document is given; a model of numbers gives neither score nor probability."""

    prediction: Class | list[Class] | None = None
    score: float | list[float] | None = None
    probability: float | list[float] | None = None
    top: list[tuple[Class, float]] | None = Field(None, description="The best classes, where they were asked for.")


class TopicReason(Answered):
    """What a topic adds to a score."""

    topic: int
    name: str | None
    share: float
    weight: float
    contribution: float
    words: list[str]


class WordReason(Answered):
    """What a word adds to a score."""

    word: str
    times: int
    contribution: float
    by_itself: float


class Reason(Answered):
    """One class or number: its score, and where it comes from."""

    what: Class
    score: float
    intercept: float
    topics: list[TopicReason]
    words: list[WordReason]
    from_words: float


class ExplanationResponse(_OfDocument):
    """Why a classifier or a model of numbers says what it says."""

    prediction: Class | list[Class]
    reasons: list[Reason]


class LabelWordResponse(Answered):
    """A word that a label is owed."""

    word: str
    times: int
    probability: float


class LabelOfDocument(Answered):
    """A label and its words."""

    label: Class
    share: float
    background: bool
    words: list[LabelWordResponse]


class WordOfDocument(Answered):
    """A word where it stands, and the label that it is owed to; a word that the model does not know has none."""

    text: str
    word: str | None
    label: Class | None
    probability: float
    start: int | None
    end: int | None


class _Labelled(_OfDocument):
    prediction: Class | list[Class]
    probability: float | list[float]
    own_labels: list[Class] | None = None


class AttributionResponse(_Labelled):
    """The label that each word is owed to."""

    text: str | None
    labels: list[LabelOfDocument]
    words: list[WordOfDocument]


class SnippetResponse(Answered):
    """A passage that is about a label."""

    label: Class
    text: str
    score: float
    first: int
    last: int
    start: int | None
    end: int | None


class PassagesResponse(_Labelled):
    """Passages of a document."""

    snippets: list[SnippetResponse]


class _OfDocuments(Answered):
    words: int = Field(description="How many words the documents have.")
    unknown: int = Field(description="How many of them the model does not know; they were skipped.")


class Transformed(_OfDocuments):
    """An answer for each document, in order."""

    documents: list[SharesResponse]


class Predictions(_OfDocuments):
    """An answer for each document, in order."""

    documents: list[Predicted]


class Explanations(_OfDocuments):
    """An answer for each document, in order."""

    documents: list[ExplanationResponse | AttributionResponse | PassagesResponse]
