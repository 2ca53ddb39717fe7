"""All attacks, by their names."""

from __future__ import annotations

from .arguments import Arguments
from .attack import Attack
from .caches import Caches
from .corpora import DamagedCorpora, Knowledge
from .extremes import Extremes, HugeCounts
from .full_disk import FullDisk
from .http import ExplorerHttp, Http
from .kill import KilledShards, KilledSteering, KilledStreams
from .model_files import DamagedModels, HostileModels
from .signals import Signals

_KINDS: list[type[Attack]] = [
    DamagedModels,
    HostileModels,
    DamagedCorpora,
    Knowledge,
    Extremes,
    HugeCounts,
    Arguments,
    Signals,
    FullDisk,
    Caches,
    KilledStreams,
    KilledShards,
    KilledSteering,
    Http,
    ExplorerHttp,
]
ATTACKS = {kind.name: kind for kind in _KINDS}
