"""The suite: what is called, in which order, and how what comes back is judged.

Belongs here: witnesses turned into tests, scenarios, stateful machines, concurrent runs, the
oracles that run along with them, and the campaign that puts them together. Does not belong
here: any rule (``halcert.spec``), how an implementation is called (``halcert.adapters``), how a
result is shown (``halcert.reports``). This folder is product, not test code.
"""
