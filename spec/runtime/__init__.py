"""The runtime: what applications call, and the order of streams."""
