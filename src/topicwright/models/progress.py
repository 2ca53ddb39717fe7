"""How far training is, in one line that changes."""

from __future__ import annotations

import sys
import time

from .training import Sweep

_SECONDS_BETWEEN = 0.2
_shown = 0.0


def show_progress(sweep: Sweep) -> None:
    """Show sweeps on standard error, at a prompt or in a notebook; to be passed as ``on_sweep``.

    >>> import topicwright as tw
    >>> lda = tw.LDA(n_topics=2, n_sweeps=30).fit(["ship sea", "bread oven"] * 5, on_sweep=tw.show_progress)
    """
    global _shown
    is_last = sweep.number == sweep.last
    now = time.monotonic()
    if not is_last and now - _shown < _SECONDS_BETWEEN:
        return
    _shown = now
    told = [f"sweep {sweep.number:,} of {sweep.last:,}", f"{1000 * sweep.seconds:,.0f} ms", f"{sweep.moved:.1%} moved"]
    if sweep.log_likelihood is not None:
        told.append(f"log-likelihood {sweep.log_likelihood:.4f} per word")
    sys.stderr.write(f"\r{' · '.join(told):<78}" + "\n" * is_last)
    sys.stderr.flush()
