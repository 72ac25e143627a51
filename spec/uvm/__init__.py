"""UVM: managed memory, whose pages move between the host and devices by themselves."""
