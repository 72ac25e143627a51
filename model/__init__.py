"""The readings of the spec: the concrete oracle, the symbolic reading, proofs and vectors.

Belongs here: how rules are evaluated. Does not belong here: any rule, any number that a
document states (``halcert.spec``), and any talk to an implementation (``halcert.adapters``).
"""
