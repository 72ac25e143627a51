"""The end of a process, as an event that others can notice."""

from __future__ import annotations

from halcert.spec.language import U8, U32, Call, Strength, accepts, interface, undefined
from halcert.spec.profiles import Profile
from halcert.spec.sharing.memory import ANY_DEVICE, departed, me
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import BARRED, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
LONGEST_REST = 3000
"""Milliseconds that a program waits at most."""
ORDERLY = 0
"""The process returns from its main function."""
NOBODY = 0
"""Owner of what outlives the process that shared it."""
KILLED = 1
"""The process is killed, with no chance to do anything."""
ENDING = SENSE.at("processes end")


@interface("host.exit", area="sharing", source=ENDING)
class HostExit(Call, frozen=True):
    """The calling process ends, by itself or because it is killed."""

    how: U8

    @undefined("SHARING-EXIT-001", source=ENDING)
    def no_other_way(call) -> bool:
        """There are two ways to end."""
        return call.how > KILLED

    @accepts(
        "SHARING-EXIT-010",
        strength=MUST,
        source=(HEADER, ENDING, V2, V3),
        changes=(
            "processes",
            "devices",
            "blocks",
            "copies",
            "descriptors",
            "reservations",
            "handles",
            "grants",
            "pages",
            "accessors",
            "shares",
            "permits",
            "numbers",
            "envelopes",
            "holdings",
            "registrations",
            "peerings",
            "pools",
            "stretches",
            "announcements",
            "sessions",
            "uses",
            "queues",
            "events",
            "knowledge",
            "works",
            "stream_pools",
            "portions",
        ),
    )
    def ends(call, state: State, profile: Profile) -> State:
        """All that the process had is gone; what it shared can be opened no more.

        A later process of its number is not the one that white lists mean.
        """
        pid = me(state)
        gone = departed(state, ANY_DEVICE, lasting=profile.generation == "v2")
        return gone.but(
            processes=gone.processes.delete(pid),
            shares=gone.shares.update_where(
                lambda each: each.owner == pid, lambda each: each.but(owner=NOBODY)
            ),
            permits=gone.permits.update_where(
                lambda each: each.pid == pid, lambda each: each.but(standing=BARRED)
            ),
            devices=gone.devices.update_where(
                lambda each: each.open, lambda each: each.but(open=False)
            ),
            blocks=gone.blocks.delete_where(lambda each: each.size > 0),
            copies=gone.copies.delete_where(lambda each: each.length > 0),
            descriptors=gone.descriptors.delete_where(lambda each: each.length > 0),
            reservations=gone.reservations.delete_where(lambda each: each.size > 0),
            handles=gone.handles.delete_where(lambda each: each.id > 0),
            registrations=gone.registrations.delete_where(lambda each: each.size > 0),
            peerings=gone.peerings.update_where(
                lambda each: each.pid == pid, lambda each: each.but(ended=True)
            ),
            grants=gone.grants.delete_where(lambda each: each.id >= 0),
            pools=gone.pools.delete_where(lambda each: each.size > 0),
            stretches=gone.stretches.delete_where(lambda each: each.extent > 0),
            announcements=gone.announcements.delete_where(lambda each: each.extent > 0),
            sessions=gone.sessions.delete_where(lambda each: each.place == 0),
            uses=gone.uses.delete_where(lambda each: each.references >= 0),
            queues=gone.queues.delete_where(lambda each: each.line > 0),
            events=gone.events.delete_where(lambda each: each.position >= 0),
            knowledge=gone.knowledge.delete_where(lambda each: each.line >= 0),
            works=gone.works.delete_where(lambda each: each.size > 0),
            stream_pools=gone.stream_pools.delete_where(lambda each: each.device >= 0),
            portions=gone.portions.delete_where(lambda each: each.extent > 0),
            pages=gone.pages.delete_where(lambda each: each.extent > 0),
            accessors=gone.accessors.delete_where(lambda each: each.extent > 0),
        )


@interface("host.rest", area="sharing", source=ENDING)
class HostRest(Call, frozen=True):
    """The program waits, so that what ended processes held can be taken back."""

    milliseconds: U32

    @undefined("SHARING-REST-001", source=ENDING)
    def nobody_waits_that_long(call) -> bool:
        """Nobody waits for more than some seconds."""
        return call.milliseconds > LONGEST_REST

    @accepts("SHARING-REST-010", strength=SHOULD, source=ENDING, changes=("peerings",))
    def rests(call, state: State) -> State:
        """Waiting changes nothing by itself; what ended processes did has ceased after it."""
        return state.but(peerings=state.peerings.delete_where(lambda each: each.ended))
