"""Errors for unknown keyword arguments that suggest the right one."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar, cast

from ..errors import UnknownKeywordError
from .formatting import pluralize

F = TypeVar("F", bound=Callable[..., Any])

_SYNONYMS: dict[str, str] = {  # names in other libraries and on the command line, by our name
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
_HINTS = {
    **dict.fromkeys(
        ["min_df", "max_df", "max_words", "stop_words", "ngram_range", "lowercase", "token_pattern", "tokenizer"],
        "pass it to Corpus.from_texts, and the corpus to fit",
    ),
    **dict.fromkeys(["verbose", "progress", "show_progress"], "fit(…, on_sweep=tw.show_progress) shows progress"),
}


def suggest_keywords(*more: type) -> Callable[[F], F]:
    """Decorator for a method, a class method or ``__init__`` that suggests a name for unknown keyword arguments.

    ``more`` are typed dictionaries with the keyword arguments that ``**options`` accepts.
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
                    raise UnknownKeywordError(
                        _unknown_keyword(_display_name(function, arguments[0]), name, list(known))
                    )
            if len(arguments) > n_positional:
                raise UnknownKeywordError(
                    _too_many_arguments(_display_name(function, arguments[0]), named, n_positional - 1, arguments)
                )
            return function(*arguments, **options)

        return cast(F, checked)

    return decorate


def _display_name(function: Callable[..., Any], owner: Any) -> str:
    """Name as in the user's code: ``Corpus.from_texts``, ``LDA``."""
    name = (owner if isinstance(owner, type) else type(owner)).__name__
    return name if function.__name__ == "__init__" else f"{name}.{function.__name__}"


def _unknown_keyword(method: str, name: str, known: list[str]) -> str:
    message = f"{method} has no parameter {name!r}"
    meant = next((own for own in known if name in _SYNONYMS.get(own, "").split()), None)
    if meant is None and name in _HINTS:
        return f"{message}: {_HINTS[name]}"
    meant = meant or next(iter(get_close_matches(name.lower(), known, 1)), None)
    return f"{message}: it has {', '.join(known)}" if meant is None else f"{message}: did you mean {meant!r}?"


def _too_many_arguments(method: str, named: tuple[str, ...], n: int, arguments: tuple[Any, ...]) -> str:
    positional = f" ({', '.join(named[:n])})" if n else ""
    example = f", such as {named[n]}=…" if len(named) > n else ""
    return (
        f"{method} takes {pluralize(n, 'positional argument')}{positional} but got {len(arguments) - 1}: "
        f"pass the others by name{example}"
    )
