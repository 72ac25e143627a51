"""The proofs: what must hold of the rules themselves, and the tests that fall out of them.

Every obligation is named, timed and settled as proved, refuted with a counterexample, or not
settled with the reason. The shortest words of calls that make each rule decide are kept as
witnesses, which the suite runs against implementations.
"""
