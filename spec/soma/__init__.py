"""SOMA: pools of device memory for work that is ordered by streams."""
