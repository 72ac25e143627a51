"""The binary interface: return codes, constants, structure layouts and symbols, each stated once."""
