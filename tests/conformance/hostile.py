"""A library with all symbols of the HAL that misbehaves in every call, as a variable tells it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from halcert.spec.abi.functions import FUNCTIONS

MODES = ("crash", "abort", "hang", "exit", "lie", "succeed", "garble", "close")
SOURCE = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void scribble(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        unsigned long start = 0, end = 0;
        if (strstr(line, "halcert-journal") && sscanf(line, "%lx-%lx", &start, &end) == 2) {
            memset((void *)start, 0xff, 4096);
        }
    }
}

static int deed(void)
{
    static unsigned state = 1;
    const char *wish = getenv("HOSTILE");
    switch (wish == NULL ? 0 : wish[0] * 256 + wish[1]) {
    case 'c' * 256 + 'r':
        raise(SIGSEGV);
        break;
    case 'a' * 256 + 'b':
        abort();
    case 'h' * 256 + 'a':
        for (;;) {
            pause();
        }
    case 'e' * 256 + 'x':
        exit(0);
    case 'l' * 256 + 'i':
        state = state * 1103515245u + 12345u;
        return (state >> 16) % 3 == 0 ? (int)((state >> 20) % 60) : 0;
    case 'g' * 256 + 'a':
        scribble();
        break;
    case 'c' * 256 + 'l':
        for (int fd = 0; fd < 1024; fd++) {
            close(fd);
        }
        break;
    }
    return 0;
}

int drvGetDevNum(unsigned *num)
{
    *num = 1;
    return 0;
}
"""


def compiled(folder: Path) -> Path:
    """Compile the library; skip the test where there is no compiler."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    symbols = [name for name in FUNCTIONS if name != "drvGetDevNum"]
    text = SOURCE + "".join(f"int {name}(void) {{ return deed(); }}\n" for name in symbols)
    source, library = folder / "hostile.c", folder / "libhostile.so"
    source.write_text(text)
    command = ["cc", "-std=gnu11", "-shared", "-fPIC", "-O1", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    return library
