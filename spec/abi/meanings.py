"""Which enumeration the numbers of a parameter come from, so that tools can write their names."""

from __future__ import annotations

from enum import IntEnum

from halcert.spec.abi.constants import (
    AddrMapType,
    AdviseType,
    AgentFlag,
    Copy2DType,
    CopyKind,
    CtrlType,
    InfoType,
    SubmitType,
)

MEANINGS: dict[tuple[str, str], type[IntEnum]] = {
    ("halMemAgentOpen", "flag"): AgentFlag,
    ("halMemAgentClose", "flag"): AgentFlag,
    ("halMemAdvise", "type"): AdviseType,
    ("halMemcpySumbit", "flag"): SubmitType,
    ("halMemGetInfo", "type"): InfoType,
    ("halMemGetInfoEx", "type"): InfoType,
    ("halMemCtl", "type"): CtrlType,
    ("memcpy_info", "dir"): CopyKind,
    ("MEMCPY2D", "type"): Copy2DType,
    ("MEMCPY2D", "direction"): CopyKind,
    ("AddrMapInPara", "addr_type"): AddrMapType,
    ("AddrUnmapInPara", "addr_type"): AddrMapType,
}
"""By function and parameter, or by structure and member."""


def name_in(owner: str, member: str, value: int) -> str:
    """Return the C name of a value of a parameter or member; empty if it has none."""
    kind = MEANINGS.get((owner, member))
    if kind is None or value not in tuple(kind):
        return ""
    return kind(value).name
