"""How to talk to an implementation: sessions, processes, calls, and nothing about rules.

``protocol`` says what an adapter is; ``hal`` binds any library with the ABI of
``libascend_hal.so``. What a call means, and whether its answer is right, is not known here.
"""
