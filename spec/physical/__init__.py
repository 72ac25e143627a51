"""Addresses and physical memory of the runtime, and sharing physical memory between processes.

What the runtime checks itself stands here. The rest it leaves to the driver, so the conditions
and effects are those of the driver's calls, asked for by these calls as the runtime makes them.
"""
