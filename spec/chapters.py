"""The chapters of the two descriptions that the specification follows, and who carries them.

A chapter belongs to an area, whose statements name it at the start of their place; or it is left
out, with the reason. A chapter of an area that is not specified yet waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass

MODULES = "SVM module description"
SAMPLE = "UVM sample description"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a description.

    Attributes:
        document: name of the description.
        title: its title, in our words; places of statements start with it.
        area: name of the area whose statements carry it; empty if it is left out.
        reason: why it is left out; empty otherwise.
    """

    document: str
    title: str
    area: str = ""
    reason: str = ""


_BUILDING = "tells how the sample is built and run, not how memory behaves"

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(MODULES, "SVM, overview", "svm"),
    Chapter(MODULES, "SVM initialisation", "svm"),
    Chapter(MODULES, "Allocation, free and set", "svm"),
    Chapter(MODULES, "VMM, overview", "vmm"),
    Chapter(MODULES, "VMM addresses", "vmm"),
    Chapter(MODULES, "VMM physical memory", "vmm"),
    Chapter(MODULES, "VMM mapping", "vmm"),
    Chapter(MODULES, "Query", "svm"),
    Chapter(MODULES, "Copy", "svm"),
    Chapter(MODULES, "memory sharing", "sharing"),
    Chapter(MODULES, "Allocate and copy", "svm"),
    Chapter(MODULES, "use of memory sharing", "sharing"),
    Chapter(MODULES, "VMM, use", "vmm"),
    Chapter(MODULES, "UVM, overview", "uvm"),
    Chapter(MODULES, "UVM, limits of use", "uvm"),
    Chapter(MODULES, "UVM, allocation and free", "uvm"),
    Chapter(MODULES, "UVM, memory attributes", "uvm"),
    Chapter(MODULES, "UVM, page faults", "uvm"),
    Chapter(MODULES, "UVM, oversubscription", "uvm"),
    Chapter(MODULES, "UVM, prefetching", "uvm"),
    Chapter(MODULES, "SOMA", "soma"),
    Chapter(SAMPLE, "UVM sample, mechanism", "uvm"),
    Chapter(SAMPLE, "UVM sample, products", "uvm"),
    Chapter(SAMPLE, "UVM sample, files and data", reason=_BUILDING),
    Chapter(SAMPLE, "runtime, initialisation and streams", "runtime"),
    Chapter(SAMPLE, "runtime, managed allocation", "runtime"),
    Chapter(
        SAMPLE,
        "UVM sample, loading a kernel",
        reason="speaks of kernels and their arguments, which are no interface of memory",
    ),
    Chapter(SAMPLE, "runtime, waiting for the stream", "runtime"),
    Chapter(SAMPLE, "UVM sample, results", "uvm"),
    Chapter(SAMPLE, "runtime, releasing in reverse order", "runtime"),
    Chapter(SAMPLE, "UVM sample, tolerances", reason=_BUILDING),
    Chapter(SAMPLE, "UVM sample, building and output", reason=_BUILDING),
)
"""All chapters, in the order of the descriptions."""
