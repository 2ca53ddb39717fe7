"""What a benchmark ran on: the machine, and the versions of programs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path


def machine(programs: Iterable[str]) -> dict[str, object]:
    """Processor, load, and the versions of the installed programs."""
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {program: _version(program) for program in programs if program == "cpp" or find_spec(program)},
    }


def _version(program: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(program, program))
    except PackageNotFoundError:  # our own loop in C++
        return "source"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


# ---------------------------------------------------------------------- memory of a process


def resident_memory() -> int | None:
    """Resident memory of this process in bytes; None on systems that do not report it."""
    return _status_field("self", "VmRSS")


def most_memory(process_id: int | None = None) -> int:
    """Peak memory of a process (by default this one) so far, in bytes."""
    most = _status_field(process_id or "self", "VmHWM")
    if most is not None:  # on Linux ru_maxrss also counts the process that started this one
        return most
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF if process_id is None else resource.RUSAGE_CHILDREN)
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _status_field(process: int | str, field: str) -> int | None:
    """A size in /proc/PID/status, in bytes; None without it."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf8")
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field))
    except (OSError, StopIteration):
        return None
