"""Registry of all attacks by name."""

from __future__ import annotations

from .arguments import RandomArguments
from .attack import Attack
from .caches import DamagedCaches
from .corpora import DamagedCorpora, RandomKnowledge
from .extremes import ExtremeCorpora, HugeCounts
from .full_disk import FullDisk
from .http import ExplorerRequests, RandomRequests
from .killed_processes import KilledShards, KilledSteering, KilledStreams
from .model_files import DamagedModels, HostileModels
from .signals import RandomSignals

_KINDS: list[type[Attack]] = [
    DamagedModels,
    HostileModels,
    DamagedCorpora,
    RandomKnowledge,
    ExtremeCorpora,
    HugeCounts,
    RandomArguments,
    RandomSignals,
    FullDisk,
    DamagedCaches,
    KilledStreams,
    KilledShards,
    KilledSteering,
    RandomRequests,
    ExplorerRequests,
]
ATTACKS = {kind.name: kind for kind in _KINDS}
