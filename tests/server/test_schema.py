"""Requests that schemathesis makes up from the OpenAPI schema: the same in every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")
pytest.importorskip("schemathesis", reason="schemathesis is not installed")

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from .conftest import PATHS, Server

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
FIXED = {"/health", "/ready", "/metrics", "/model"}  # nothing is asked there, so that nothing can be wrong
SETTINGS = settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # shrinking a failing request takes minutes
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("kind", ["lda", "classifier", "labeled"])
@pytest.mark.parametrize(
    ("path", "mode"),
    [(path, mode) for path in PATHS for mode in ("right", "wrong") if mode == "right" or path not in FIXED],
)
def test_responses_match_the_schema(serving: Callable[..., Server], kind: str, path: str, mode: str) -> None:
    server = serving(kind)
    schema = schemathesis.openapi.from_dict(server.ask("/openapi.json").json())
    schema.config.update(base_url=server.url)
    operation = schema[path][PATHS[path]]
    is_right = mode == "right"
    modes = schemathesis.GenerationMode
    cases = operation.as_strategy(generation_mode=modes.POSITIVE if is_right else modes.NEGATIVE)

    @SETTINGS
    @given(case=cases)
    def check(case: Any) -> None:
        case.call_and_validate(checks=CHECKS if is_right else [*CHECKS, negative_data_rejection])

    check()


def test_every_path_is_tested(serving: Callable[..., Server]) -> None:
    assert set(serving("lda").ask("/openapi.json").json()["paths"]) == set(PATHS)
