"""The C ABI of the runtime's memory interfaces, ``libascendcl.so``."""
