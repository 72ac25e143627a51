"""Long loads: loads of any size by host or device, made of loads that fit in a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halcert.adapters.host import LOAD_LIMIT
from halcert.adapters.protocol import LOADS, Answered, Reply, Request


class Plan:
    """Requests as they are made, and how their replies become those of the original requests.

    Attributes:
        flat: the requests to be made.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        pieces = [_pieces(request) for request in requests]
        self.flat = [request for each in pieces for request in each]
        self._counts = [len(each) for each in pieces]
        self._whole = len(self.flat) == len(requests)

    def merged(self, replies: list[Reply]) -> list[Reply]:
        """Return one reply for each original request that was begun."""
        if self._whole:
            return replies
        merged: list[Reply] = []
        start = 0
        for count in self._counts:
            made = replies[start : start + count]
            start += count
            if count == 1 or (made and not isinstance(made[-1], Answered)):
                merged += made[-1:]
            elif len(made) == count:
                merged.append(_join(made))
        return merged


def _pieces(request: Request) -> list[Request]:
    size = request.args.get("size")
    if request.interface not in LOADS or not isinstance(size, int) or size <= LOAD_LIMIT:
        return [request]
    return [
        Request(
            request.interface,
            {
                **request.args,
                "address": _moved(request.args.get("address"), start),
                "size": min(LOAD_LIMIT, size - start),
            },
        )
        for start in range(0, size, LOAD_LIMIT)
    ]


def _moved(address: Any, distance: int) -> Any:
    if isinstance(address, dict):
        return {**address, "plus": address.get("plus", 0) + distance}
    return address + distance


def _join(replies: Sequence[Reply]) -> Reply:
    answered = [reply for reply in replies if isinstance(reply, Answered)]
    data = b"".join(reply.out["data"] for reply in answered)
    code = next((reply.code for reply in answered if reply.code != 0), 0)
    return Answered(code, {"data": data}, answered[0].began, answered[-1].ended)
