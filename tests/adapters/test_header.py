from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from halcert.adapters.errors import NoCompiler
from halcert.adapters.header import HeaderNotFound, HeaderUnusable, compare
from halcert.cli import cli
from halcert.spec.abi.codes import DrvError, symbol_of
from halcert.spec.abi.constants import constants
from halcert.spec.abi.functions import FUNCTIONS
from halcert.spec.abi.structs import LAYOUTS, Layout, Member

C_TYPE = {"u8": "unsigned char", "i32": "int", "u32": "unsigned int", "u64": "unsigned long"}
TYPES = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef unsigned char UINT8;
typedef unsigned int UINT32;
typedef unsigned long long UINT64;
typedef UINT32 DVdevice;
typedef UINT64 DVdeviceptr;
typedef enum { FEATURE_FIRST } drvFeature_t;
typedef enum { KEPT_FIRST } drv_mem_addr_reserve_type;
typedef enum { OPTION_FIRST } drv_mem_granularity_options;
typedef struct drv_mem_handle drv_mem_handle_t;
typedef enum { TYPE_FIRST } drv_mem_handle_type;
enum ShmemAttrType { NAME_FIRST };
enum ShareHandleAttrType { SHARE_FIRST };
enum HandleAttrType { ROUTE_FIRST };
enum soma_mem_pool_attr { POOL_FIRST };
"""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def _member(member: Member) -> str:
    kind = C_TYPE.get(member.kind, f"struct {member.kind}")
    return f"{kind} {member.name}" + (f"[{member.count}]" if member.count > 1 else "") + ";"


def _nested(layout: Layout) -> str:
    """Declare a structure whose members have paths: one nested structure for each first part."""
    views: dict[str, list[str]] = {}
    order: list[str] = []
    for member in layout.members:
        first, _, rest = member.c_path.partition(".")
        if rest and first not in views:
            order.append(first)
        if rest:
            views.setdefault(first, []).append(rest)
        else:
            order.append(_member(member))
    known = {
        "copy2dInfo": "struct drvMem2D",
        "copy2d": "struct drvMem2D",
        "copy2dAsync": "struct drvMem2DAsync",
        "location": "struct drv_mem_location",
        "mem_prop": "struct drv_mem_prop",
        "phyAddr": "struct DMA_PHY_ADDR",
        "offsetAddr": "struct DMA_OFFSET_ADDR",
    }
    fields = [f"{known[name]} {name};" if name in known else name for name in order]
    unions = {"MEMCPY2D": 2, "DMA_ADDR": 2}
    if layout.name in unions:
        inside = [each for each in fields if each.startswith("struct")]
        first = fields.index(inside[0])
        fields = [each for each in fields if each not in inside]
        fields.insert(first, f"union {{ {' '.join(inside)} }};")
    if layout.name == "MemInfo":
        fields = [f"union {{ {' '.join(fields)} }};"]
    if layout.typedef:
        return f"typedef struct {{ {' '.join(fields)} }} {layout.name};"
    return f"struct {layout.name} {{ {' '.join(fields)} }};"


def own_header() -> str:
    """Return a header that says what the declaration says."""
    codes = {symbol_of(code): int(code) for code in DrvError}
    numbers = "\n".join(f"#define {name} {value}LL" for name, value in constants().items())
    dma = (
        "struct DMA_PHY_ADDR { void *src; void *dst; unsigned int len; unsigned char flag;"
        " void *priv; };\nstruct DMA_OFFSET_ADDR { unsigned long offset; unsigned int devid; };\n"
    )
    return "\n".join(
        [
            TYPES,
            f"typedef enum {{ {', '.join(f'{k} = {v}' for k, v in codes.items())} }} drvError_t;",
            "typedef drvError_t DVresult;",
            numbers,
            dma,
            *(_nested(layout) for layout in LAYOUTS.values()),
            *(f"{function.prototype};" for function in FUNCTIONS.values()),
        ]
    ).replace("unsigned long dmaAddr", "struct DMA_ADDR *dmaAddr")


def _compared(folder: Path, *changes: tuple[str, str]) -> list[str]:
    text = own_header()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "ascend_hal_base.h"
    path.write_text(text)
    return [str(difference) for difference in compare(path)]


def test_a_header_that_says_the_same_has_no_differences(tmp_path):
    assert _compared(tmp_path) == []


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("#define ADVISE_DEV_MEM 1LL", "#define ADVISE_DEV_MEM 9", "ADVISE_DEV_MEM: declared 1"),
        ("#define MEM_TYPE_HBM 16384LL", "", "MEM_TYPE_HBM: declared 16384; header: not declared"),
        ("DRV_ERROR_BUSY = 13", "DRV_ERROR_BUSY = 14", "DRV_ERROR_BUSY: declared 13; header: 14"),
        (
            "unsigned int pageSize;",
            "unsigned long pageSize;",
            "size of struct DVattribute: declared 52; header: 56",
        ),
        (
            "unsigned long giant_free;",
            "unsigned long giants_free;",
            "offset of struct MemPhyInfo.giant_free: declared 40; header: not declared",
        ),
        (
            "drvError_t halMemFree(void *pp)",
            "drvError_t halMemFree(unsigned long pp)",
            "halMemFree: declared drvError_t halMemFree(void *pp)",
        ),
        (
            "halMemcpyWait(",
            "halMemcpyWaitFor(",
            "(struct DMA_ADDR *dma_addr); header: not declared",
        ),
    ],
)
def test_every_kind_of_difference_is_listed(tmp_path, old, new, said):
    differences = _compared(tmp_path, (old, new))
    assert any(said in difference for difference in differences), differences


def test_all_differences_are_listed_at_once(tmp_path):
    differences = _compared(
        tmp_path,
        ("#define ADVISE_DEV_MEM 1LL", "#define ADVISE_DEV_MEM 9"),
        ("drvError_t halMemFree(void *pp)", "int halMemFree(void *pp)"),
        ("unsigned long mem_peak_size;", "unsigned long peak;"),
    )
    assert len(differences) == 3


def test_a_header_that_is_not_there_or_does_not_compile_is_told(tmp_path, monkeypatch):
    with pytest.raises(HeaderNotFound):
        compare(tmp_path / "nothing.h")
    broken = tmp_path / "broken.h"
    broken.write_text('#include "nowhere.h"\n')
    with pytest.raises(HeaderUnusable, match=r"nowhere\.h"):
        compare(broken)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompiler):
        compare(broken)


def test_a_header_in_any_encoding_is_compared(tmp_path):
    folder = tmp_path / "\N{LATIN SMALL LETTER U WITH DIAERESIS}\udcff"
    folder.mkdir()
    header = folder / "ascend_hal_base.h"
    header.write_bytes(b"\xff\xfe nothing that C knows;\n")
    with pytest.raises(HeaderUnusable, match="does not compile"):
        compare(header)


def test_headers_from_elsewhere_are_found_where_the_user_says(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "all.h").write_text(own_header())
    path = tmp_path / "ascend_hal_base.h"
    path.write_text('#include "all.h"\n')
    assert compare(path, [elsewhere]) == []


def test_the_command_says_how_many_and_exits_accordingly(tmp_path):
    path = tmp_path / "ascend_hal_base.h"
    path.write_text(own_header())
    said = CliRunner().invoke(cli, ["abi", "--header", str(path)], standalone_mode=False)
    assert (said.return_value, said.output) == (0, "no differences\n")
    path.write_text(own_header().replace("#define ADVISE_DEV_MEM 1LL", "#define ADVISE_DEV_MEM 9"))
    said = CliRunner().invoke(cli, ["abi", "--header", str(path)], standalone_mode=False)
    assert said.return_value == 1
    assert said.output == "ADVISE_DEV_MEM: declared 1; header: 9\n1 difference\n"
    said = CliRunner().invoke(
        cli, ["abi", "--header", str(tmp_path / "no.h")], standalone_mode=False
    )
    assert said.return_value == 2
    assert "there is no header" in said.output
