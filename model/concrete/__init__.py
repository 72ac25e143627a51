"""The concrete reading: rules run natively on integers, and judge what really came back.

State is persistent: judging a call gives a new world and leaves the old one as it was, so runs
can be replayed, branched and compared.
"""

from halcert.model.concrete.oracle import Judgement, Oracle, Violation
from halcert.model.concrete.world import World

__all__ = ["Judgement", "Oracle", "Violation", "World"]
