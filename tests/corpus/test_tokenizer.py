import json
import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from topicwright import InputError, Tokenizer

MIXED = st.text(
    st.one_of(
        st.sampled_from("abzABZ019_ .,-'\n\t"),
        st.sampled_from("éßÄñ\u0301\u0308\u200c\u200d\ufe0f❤²½Ⅷ"),
        st.sampled_from("हिन्दीकाไทยทั้งශ්‍රී中文字кириллица"),
        st.characters(),
    )
)


def slow_words(text: str, lowercase: bool = True) -> list[str]:
    """The definition, a character at a time."""
    text = unicodedata.normalize("NFC", text.lower() if lowercase else text)
    runs, run = [], ""
    for character in text + " ":
        category = unicodedata.category(character)
        if category.startswith("L") or category in ("Mn", "Mc") or character in "\u200c\u200d":
            run += character
        else:
            runs.append(run)
            run = ""
    words = []
    for run in runs:
        while run and run[-1] in "\u200c\u200d":
            run = run[:-1]
        while run and not unicodedata.category(run[0]).startswith("L"):
            run = run[1:]
        if len(run) >= 2:
            words.append(run)
    return words


@given(MIXED, st.booleans())
def test_tokens_follow_the_definition(text, lowercase):
    assert Tokenizer(lowercase=lowercase)(text) == slow_words(text, lowercase)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_tokens_equal_scikit_learn(text):
    assert Tokenizer()(text) == CountVectorizer(token_pattern=r"[^\W\d_]{2,}").build_analyzer()(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop_me now2day!", ["don", "stop", "me", "now", "day"]),
        ("हिन्दी की किताब", ["हिन्दी", "की", "किताब"]),
        ("ශ්\u200dරී ලංකාව", ["ශ්\u200dරී", "ලංකාව"]),
        ("e\u0301te\u0301 \u00e9t\u00e9", ["été", "été"]),
        ("❤\ufe0flove x² m½n", ["love"]),
        ("ΣΊΣΥΦΟΣ Straße", ["σίσυφος", "straße"]),
        ("", []),
        ("a b c 1 2 3", []),
    ],
)
def test_examples(text, words):
    assert Tokenizer()(text) == words


def test_lowercase_can_be_kept():
    assert Tokenizer(lowercase=False)("Red apples in Łódź") == ["Red", "apples", "in", "Łódź"]


def test_stop_words_are_normalized_like_tokens():
    assert Tokenizer(stop_words=["The", "CAFE\u0301"])("the café The CAFÉ bar") == ["bar"]
    assert Tokenizer(stop_words="english")("this is the end of a story") == ["end", "story"]
    assert Tokenizer(stop_words=["the"], analyzer=str.split)("the The end") == ["The", "end"]


@given(st.lists(st.sampled_from(["aa", "bb", "the"])), st.integers(1, 3), st.integers(0, 2))
def test_ngrams_are_placed_at_their_first_token(words, shortest, more):
    cut = Tokenizer(ngram_range=(shortest, shortest + more), stop_words=["the"])(" ".join(words))
    kept = [word for word in words if word != "the"]
    lengths = range(shortest, shortest + more + 1)
    assert cut == [" ".join(kept[i : i + n]) for i in range(len(kept)) for n in lengths if i + n <= len(kept)]


def test_custom_pattern():
    assert Tokenizer(token_pattern=r"\S+")("C++ & C#") == ["c++", "&", "c#"]
    assert Tokenizer(token_pattern=r"#(\w+)")("#one two #three") == ["one", "three"]
    assert Tokenizer(token_pattern=r"x*")("axxb") == ["xx"]


def test_analyzer_may_be_a_vectorizer():
    vectorizer = CountVectorizer(ngram_range=(2, 2), stop_words="english")
    assert Tokenizer(analyzer=vectorizer)("the big red apple") == ["big red", "red apple"]
    assert Tokenizer(analyzer=lambda text: text.split("-"), ngram_range=(1, 2))("a-b") == ["a", "a b", "b"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lowercase": 1}, "lowercase must be True or False: got 1"),
        ({"token_pattern": "("}, r"token_pattern must be a regular expression: got '\('"),
        ({"token_pattern": "(a)(b)"}, "token_pattern must have at most one group: got 2"),
        ({"token_pattern": 3}, "token_pattern must be a str: got 3"),
        ({"stop_words": "german"}, "stop_words must be None, 'english' or a list of words: got 'german'"),
        ({"stop_words": 7}, "stop_words must be"),
        ({"stop_words": [1]}, "stop_words must be a list of words"),
        ({"ngram_range": (2, 1)}, r"ngram_range must be two whole numbers .* got \(2, 1\)"),
        ({"ngram_range": 2}, "ngram_range must be"),
        ({"ngram_range": (0, 1)}, "ngram_range must be"),
        ({"ngram_range": (1.0, 2)}, "ngram_range must be"),
        ({"analyzer": 5}, "tokenizer must be a Tokenizer, a callable or a scikit-learn vectorizer: got 5"),
        ({"analyzer": str.split, "token_pattern": "a"}, "token_pattern must be None"),
    ],
)
def test_rejects_invalid_settings(settings, message):
    with pytest.raises(InputError, match=message):
        Tokenizer(**settings)


@pytest.mark.parametrize("words", ["a b", 3, [1, 2]])
def test_rejects_analyzer_that_returns_other_types(words):
    with pytest.raises(InputError, match="the analyzer must return a list of words"):
        Tokenizer(analyzer=lambda text: words)("x")


@pytest.mark.parametrize(
    "tokenizer",
    [
        Tokenizer(),
        Tokenizer(lowercase=False, stop_words="english", ngram_range=(1, 3)),
        Tokenizer(token_pattern=r"\w+", stop_words=["ß", "a"]),
    ],
)
def test_settings_round_trip(tokenizer):
    text = "The Straße of a story"
    again = Tokenizer.from_dict(json.loads(json.dumps(tokenizer.to_dict())))
    assert again == tokenizer
    assert again(text) == tokenizer(text) == pickle.loads(pickle.dumps(tokenizer))(text)


def test_missing_analyzer_is_reported():
    settings = Tokenizer(analyzer=str.split).to_dict()
    assert settings["custom_analyzer"] is True
    again = Tokenizer.from_dict(settings)
    assert again.is_custom
    assert again.to_dict() == settings
    with pytest.raises(InputError, match="fitted with a custom analyzer"):
        again("some text")


@pytest.mark.parametrize(
    "change",
    [
        {"lowercase": "yes"},
        {"token_pattern": ["a"]},
        {"stop_words": {"a": 1}.values()},
        {"ngram_range": [1]},
        {"ngram_range": [1, 10**30, 3]},
        {"custom_analyzer": "os.system"},
        {"analyzer": "os.system"},
    ],
)
def test_settings_from_a_file_are_checked(change):
    with pytest.raises(InputError):
        Tokenizer.from_dict(Tokenizer().to_dict() | change)


@pytest.mark.parametrize("settings", [None, [], {}, {"lowercase": True}, {1: 2}])
def test_settings_must_be_complete(settings):
    with pytest.raises(InputError, match="tokenizer settings must be a dict of"):
        Tokenizer.from_dict(settings)


def test_deprecated_names():
    tokenizer = Tokenizer(stop_words=["the"])
    with pytest.warns(DeprecationWarning, match="use Tokenizer.split"):
        assert tokenizer.pieces("the cat") == tokenizer.split("the cat") == ["the", "cat"]
    with pytest.warns(DeprecationWarning, match="use Tokenizer.excluded_words"):
        assert "the" in tokenizer.skipped
