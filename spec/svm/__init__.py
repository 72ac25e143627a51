"""SVM core: opening devices, allocation, free, set, copy, query and control.

One module holds one group of interfaces; ``area`` puts them together with the invariants and
theorems. Facts that several interfaces share stand in ``flags`` and ``memory``.
"""
