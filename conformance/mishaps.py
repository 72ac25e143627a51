"""Failures that were asked for below the implementation, and what they leave to be known.

A kernel stand-in that fails on request says so with each answer. Whatever a call answers then, it
has not happened, with two exceptions. Bytes that it was to write may hold anything: half a copy
cannot be taken back. And once a device is gone nothing is promised any more: a library may refuse
everything from then on, or take what was on the device for gone. So calls that follow only have to
return, and are made only where they are defined whether or not those that failed took place.
"""

from __future__ import annotations

from typing import Any

import msgspec

from halcert.adapters.kernelsim import LOSS, TROUBLE
from halcert.model.concrete import Oracle, World
from halcert.results import Answered
from halcert.spec.language import Call, Returned


def failed_on_request(answer: Answered) -> bool:
    """Tell whether a call failed in which the kernel stand-in was asked to fail.

    Nothing is said of its answer; what is called next shows whether anything was left behind.
    """
    return answer.code != 0 and answer.stand_in & TROUBLE != 0


def met_a_loss(answer: Answered) -> bool:
    """Tell whether a call came upon a device that is gone, however it answered."""
    return answer.stand_in & LOSS != 0


def unfinished(oracle: Oracle, world: World, call: Call, process: int, step: int) -> World:
    """Return the world after a call that stopped on the way: what it was to write is unknown."""
    done = _carried_out(oracle, world, call, process, step)
    if done is world:
        return world
    view = world.views[process]
    contents = view.contents.doubting(done.views[process].contents)
    return world if contents is view.contents else world.after(process, view.but(contents=contents))


class Bereft(msgspec.Struct, frozen=True):
    """What may be after a device was lost.

    Attributes:
        at_least: the world if none of the calls took place that failed since.
        at_most: the world if all of them did whose outcome needs no answer.
    """

    at_least: World
    at_most: World

    def after(
        self, oracle: Oracle, call: Call, result: Returned, process: int, step: int
    ) -> Bereft:
        """Return what may be after one more call; neither world follows what it cannot explain."""
        if result.code != 0:
            most = _carried_out(oracle, self.at_most, call, process, step)
            return Bereft(self.at_least, most)
        least, most = (
            oracle.judge(each, call, result, process=process, step=step).world
            for each in (self.at_least, self.at_most)
        )
        return Bereft(least, most)

    def promises(self, oracle: Oracle, interface: str, call: Call, process: int) -> bool:
        """Tell whether a call is defined whichever calls took place."""
        worlds = (self.at_least, self.at_most)
        return all(oracle.undefined(interface, call, each, process) is None for each in worlds)

    def joined(self, process: int, pid: int, devices: tuple[int, ...]) -> Bereft:
        """Return the same with one more process."""
        least, most = (w.joined(process, pid, devices) for w in (self.at_least, self.at_most))
        return Bereft(least, most)


def _carried_out(oracle: Oracle, world: World, call: Call, process: int, step: int) -> World:
    """Return the world as if a call had succeeded, if that can be told without its answer."""
    kind: Any = call.Result
    if kind.__struct_fields__ != ("code",):
        return world
    return oracle.judge(world, call, kind(0), process=process, step=step).world
