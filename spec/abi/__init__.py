"""The binary interface: codes, constants, structure layouts and symbols, each stated once."""
