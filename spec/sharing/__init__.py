"""Sharing: several processes, or host and device, that look at the same bytes.

One module holds one group of interfaces; ``area`` puts them together with invariants and
theorems. What other areas need to know of shared memory stands in ``memory``: it speaks of
tables only.
"""
