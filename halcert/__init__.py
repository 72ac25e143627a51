"""Executable conformance suite for the C memory interfaces of Ascend NPUs.

The package root holds the command line, the pytest plugin and the result types.  Everything else
lives in one sub-package per concern: :mod:`halcert.spec`, :mod:`halcert.model`,
:mod:`halcert.adapters`, :mod:`halcert.conformance` and :mod:`halcert.reports`.
"""

from pathlib import Path

__all__ = ["__version__"]
__version__: str

# In a checkout the sub-packages lie beside this folder, not in it.  Whoever starts Python there
# (`python -m halcert`, `python -m pytest`) imports this very file and must find them all the same.
_here = Path(__file__).parent
if not (_here / "spec").exists() and (_here.parent / "spec").is_dir():
    __path__.append(str(_here.parent))


def __getattr__(name: str) -> str:
    """Return the version, which is looked up where it is asked for: that costs 30 ms."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("halcert")
    except PackageNotFoundError:  # a working copy that was never installed
        found = "0.1.0"
    globals()[name] = found
    return found
