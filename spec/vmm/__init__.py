"""VMM: addresses and physical memory given separately, and mapped as the program likes.

One module holds one group of interfaces; ``area`` puts them together with the invariants. Facts
that several interfaces share stand in ``memory`` and ``properties``. That mapped memory is set,
copied and asked about like any other is said where those interfaces are, in ``svm``.
"""
