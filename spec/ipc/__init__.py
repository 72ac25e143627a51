"""Memory of the runtime that several processes have in common."""
