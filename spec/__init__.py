"""What the interfaces promise: types, tables of state, rules, sources and profiles.

Belongs here: anything a reader of a reference manual would look up, each fact once.
Does not belong here: how a rule is evaluated (``halcert.model``), how an implementation is
called (``halcert.adapters``), or what a run found (``halcert.results``). This package imports
nothing else of halcert.
"""
