"""What follows from all witnesses of a product together, once they have been rehearsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halcert.model.proofs.records import AGREEMENT, PROVED, REFUTED, THEOREM, Findings, Record
from halcert.model.proofs.witness import REJECTED
from halcert.spec.catalogue import AREAS
from halcert.spec.profiles import Profile
from halcert.spec.universal import REFUSAL_HAS_NO_EFFECT

SCOPE = "all witnesses"
SHOWN = 3
"""Objections that a note tells."""


def conclusions(
    areas: Iterable[str], profile: Profile, found: Iterable[Findings]
) -> Iterator[Record]:
    """Iterate over what the rehearsals of the witnesses of a product settle.

    That a refusal changes nothing is so by construction, symbolically: rules have no way to
    say what state a refused call leaves. Concretely the rehearsals show it.
    """
    findings = list(found)
    objections = [each for finding in findings for each in finding.objections]
    witnesses = [each for finding in findings for each in finding.witnesses]
    refused = sum(each.steps[-1].expected.verdict == REJECTED for each in witnesses)
    status = REFUTED if objections else PROVED
    note = "\n".join(objections[:SHOWN])
    for name in areas:
        generation = profile.generation
        yield Record(AGREEMENT, f"witnesses of {name}", name, generation, status, 0.0, note, SCOPE)
        for rule in AREAS[name].universal:
            if rule is REFUSAL_HAS_NO_EFFECT:
                text = note or f"by construction, and shown by {refused} refused witnesses"
                yield Record(THEOREM, rule.id, name, generation, status, 0.0, text, SCOPE)
