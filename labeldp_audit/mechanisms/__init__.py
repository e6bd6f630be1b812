"""How labels are protected before they are released. One file each, and its name in this list."""

from __future__ import annotations

from ..core.mechanism import Mechanism
from ..core.registry import Registry
from .alibi import Alibi
from .channel import Channel
from .cluster_response import ClusterResponse
from .domain_response import DomainResponse
from .dummy import Dummy
from .geometric_proportions import GeometricProportions
from .label_proportions import LabelProportions
from .laplace_proportions import LaplaceProportions
from .model_response import ModelResponse
from .pate import Pate
from .peer_to_peer import PeerToPeer
from .per_record import no_law
from .prior_response import PriorResponse
from .randomized_response import RandomizedResponse
from .staged_response import StagedResponse

__all__ = [
    "MECHANISMS", "Alibi", "Channel", "ClusterResponse", "DomainResponse", "Dummy", "GeometricProportions",
    "LabelProportions", "LaplaceProportions", "Mechanism", "ModelResponse", "Pate", "PeerToPeer", "PriorResponse",
    "RandomizedResponse", "StagedResponse",
]  # fmt: skip

MECHANISMS: Registry[Mechanism] = Registry(
    "mechanism",
    (
        RandomizedResponse, Channel, LabelProportions, LaplaceProportions, GeometricProportions, ClusterResponse,
        PeerToPeer, PriorResponse, DomainResponse, StagedResponse, ModelResponse, Alibi, Pate, Dummy,
    ),
    no_law,
)  # fmt: skip
