"""Options that a method does not have: told under the name that people wrote, with the one that they may have meant."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar, cast

from ..errors import UnknownKeywordError

F = TypeVar("F", bound=Callable[..., Any])

_MEANT: dict[str, str] = {  # ours, and what other libraries and this one's shell call the same
    "text": "text_field text_column text_col column field content body",
    "labels": "label label_field label_column label_col tags tag classes categories y",
    "target": "targets target_field target_column y",
    "targets": "target y",
    "id": "ids id_field id_column doc_id index",
    "ids": "id doc_ids names index",
    "date": "dates date_field date_column time timestamp timestamps",
    "dates": "date time times timestamp timestamps",
    "label_separator": "separator sep",
    "delimiter": "sep separator",
    "min_df": "min_count min_cf no_below min_docs min_freq min_documents",
    "max_df": "no_above max_docs max_freq max_documents",
    "max_words": "max_features keep_n max_vocab vocab_size max_vocabulary n_words",
    "stop_words": "stopwords stoplist stop_list stopword remove_stopwords",
    "ngram_range": "ngrams ngram n_grams n_gram_range bigrams phrases",
    "lowercase": "lower lower_case",
    "token_pattern": "pattern regex token_regex",
    "tokenizer": "analyzer tokenize tokeniser preprocessor",
    "vocabulary": "vocab words dictionary id2word",
    "vocab": "vocabulary words",
    "id2word": "dictionary vocabulary vocab",
    "keep_texts": "keep_text",
    "n_topics": "num_topics k K n_components nr_topics number_of_topics topics",
    "n_sweeps": "iterations n_iter n_iters num_iterations max_iter iter passes epochs sweeps n_epochs",
    "n_jobs": "workers num_threads n_threads threads n_workers num_workers",
    "random_state": "seed random_seed",
    "alpha": "doc_topic_prior",
    "beta": "eta topic_word_prior",
    "n": "top n_words top_n topn n_top_words num_words n_topics",
    "on_sweep": "callback callbacks on_iteration",
    "lam": "lambda_ lambda_step relevance",
}
_ELSEWHERE = {
    **dict.fromkeys(
        ["min_df", "max_df", "max_words", "stop_words", "ngram_range", "lowercase", "token_pattern", "tokenizer"],
        "it is one of Corpus.from_texts, whose corpus fit takes in place of texts",
    ),
    **dict.fromkeys(["verbose", "progress", "show_progress"], "progress is shown by fit(…, on_sweep=tw.show_progress)"),
}


def suggest_keywords(*more: type) -> Callable[[F], F]:
    """Make a method, a class method or ``__init__`` refuse what it does not take in a sentence that helps.

    ``more`` are typed dictionaries, for what ``**options`` may hold.
    """

    def decorate(function: F) -> F:
        code = function.__code__
        n_positional = code.co_argcount
        named = code.co_varnames[1 : n_positional + code.co_kwonlyargcount]
        known = dict.fromkeys([*named, *(name for one in more for name in one.__annotations__)])

        @wraps(function)
        def checked(*arguments: Any, **options: Any) -> Any:
            for name in options:
                if name not in known:
                    raise UnknownKeywordError(_no_option(_called(function, arguments[0]), name, list(known)))
            if len(arguments) > n_positional:
                raise UnknownKeywordError(
                    _too_many(_called(function, arguments[0]), named, n_positional - 1, arguments)
                )
            return function(*arguments, **options)

        return cast(F, checked)

    return decorate


def _called(function: Callable[..., Any], owner: Any) -> str:
    """The name that the user wrote: ``Corpus.from_texts``, ``LDA``."""
    name = (owner if isinstance(owner, type) else type(owner)).__name__
    return name if function.__name__ == "__init__" else f"{name}.{function.__name__}"


def _no_option(method: str, name: str, known: list[str]) -> str:
    said = f"{method} has no option {name!r}"
    meant = next((own for own in known if name in _MEANT.get(own, "").split()), None)
    if meant is None and name in _ELSEWHERE:
        return f"{said}: {_ELSEWHERE[name]}"
    meant = meant or next(iter(get_close_matches(name.lower(), known, 1)), None)
    return f"{said}: its options are {', '.join(known)}" if meant is None else f"{said}: did you mean {meant!r}?"


def _too_many(method: str, named: tuple[str, ...], n: int, arguments: tuple[Any, ...]) -> str:
    free = ", ".join(named[:n]) or "none"
    example = f", as in {named[n]}=…" if len(named) > n else ""
    return f"{method} takes {n} without a name ({free}): got {len(arguments) - 1}; write the names of others{example}"
