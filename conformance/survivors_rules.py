"""Changed rules that nothing notices, judged one by one, and why that is no hole."""

from __future__ import annotations

MIDWAY = "it is about a call that stops in the middle, which no test can make it do"
TASK = "it is about a task that fails, which no test can bring about; then less is known, not more"
GRANULE = "of such memory nobody asks more than whether its pages are huge or giant"
ONCE = "one call ends the use of the runtime, however often it was initialised, so nobody can count"
NAMES = "what is no string is never the name of a share, so it is not found either"
ZEROS = "no export gives bytes that are all zero, as which null is read"
UNTOLD_NAME = "nothing is promised about naming such memory (SHARING-NAME-011)"
NOT_DEVICE_MEMORY = "what is no device memory is refused otherwise with the same code, or is open"
NO_SUCH_STRING = "no string is that number: it would begin with the null byte that ends it"
NO_HANDLE = "nothing is promised about a handle that lost its device"
NUMBERED = "streams and tasks are numbered from 1 on, so no task is meant either way"
WHOLE_VALUES = "memory that holds values is reached by whole values only, and read by nothing else"
REUSE = "only a pool that gives freed memory out again makes a difference, which none has to"
WITHIN = "no pool has given out more than it has, so taking nothing does not exhaust it"
OTHER_CODE = "the model that plays the scenarios answers with the other code that there is"
NEIGHBOURS = "no test can make allocations lie side by side, which happens by chance"
MEMBERS = "arguments of the other types have no such member"
EXTENT = "what a block takes is its size in whole pages, so what is asked anew is so already"
OFF_DEVICES = "memory of the program is on no device, so it is refused as that of another one"
FRESH = "no test writes to the place for a descriptor more than the device"
SAME_CODE = "the call is refused with the same code anyway"
RULES: dict[str, str] = {
    "SVM-HMAP-*": "what the operating system gives a program is no promise of the library",
    "SVM-HUNMAP-*": "what a program does with its own memory is no promise of the library",
    "*-DSTORE-020:*": "bytes of a store that failed are open, whichever they are",
    "*-DLOAD-020:*": "pages that a load moved before it failed are open, wherever they are",
    "SVM-SET-012:*": "bytes of a fill that failed are open; no test can make one fail there",
    "SVM-COPY-026:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SVM-HCOPY-036:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SHARING-PERMIT-030:*": MIDWAY,
    "SHARING-POD-030:*": MIDWAY,
    "SHARING-HPERMIT-030:*": MIDWAY,
    "PHYSICAL-PERMIT-030:*": MIDWAY,
    "PHYSICAL-PERMIT2-030:*": MIDWAY,
    "IPC-PERMIT-030:*": MIDWAY,
    "SHARING-OPENLAST-010:code moved": MIDWAY,
    "SHARING-IMPORT2-015:code moved": MIDWAY,
    "PHYSICAL-IMPORT2-011:dropped": MIDWAY,
    "RUNTIME-SYNCDEV-020:*": TASK,
    "RUNTIME-ARECT-030:*": TASK,
    "RUNTIME-MANAGED-010:PAGE ?1 (2)": GRANULE,
    "RUNTIME-PMALLOC-021:PAGE ?1": GRANULE,
    "RUNTIME-INIT-010:1 +1": ONCE,
    "RUNTIME-INIT-020:*": ONCE,
    "RUNTIME-RECORD-010:1 -1": "the one task between both places is the record itself",
    "RUNTIME-PMALLOC-023:guard dropped": "null is given for no bytes, and nothing lives there",
    "SVM-FREE-010:without 1: each.memory == block.memory": "nobody reads memory that is gone",
    "SHARING-PEERON-010:without 2: not found.ended": "a process that calls has not ended",
    "IPC-PERMIT-003:without 1: is_string(call.key)": NAMES,
    "PHYSICAL-PERMIT2-004:without 1: call.shareableHandle.given": ZEROS,
    "SHARING-EXIT-010:0 +1 (4)": "nobody asks what addresses a process that ended had reserved",
    "SHARING-EXPORT-004:without 1: usable(state, call.handle)": NO_HANDLE,
    "SHARING-EXPORT2-005:without 1: usable(state, call.handle)": NO_HANDLE,
    "SHARING-SETWAY-003:without 2: not found.lost": NO_HANDLE,
    "SHARING-HSETATTR-008:dropped": MIDWAY,
    "SHARING-SETATTR-012:dropped": MIDWAY,
    "SHARING-IMPORT-012:dropped": MIDWAY,
    "SHARING-IMPORT-012:code moved": MIDWAY,
    "SHARING-IMPORT2-015:dropped": MIDWAY,
    "SHARING-OPEN-015:code moved": MIDWAY,
    "SHARING-OPEN-015:dropped": MIDWAY,
    "SHARING-OPENLAST-010:dropped": MIDWAY,
    "SHARING-NAME-003:0 +1 (2)": "nothing lives at 1, and SHARING-NAME-004 has the same code",
    "SHARING-NAME-007:without 1: shareable(block)": NOT_DEVICE_MEMORY,
    "SHARING-NAME-009:without 1: shareable(block)": NOT_DEVICE_MEMORY,
    "SHARING-NAME-007:without 3: not block.host_writes": UNTOLD_NAME,
    "SHARING-NAME-007:without 4: not block.cp_only": UNTOLD_NAME,
    "SHARING-NAME-021:Lt of result.name.token < TOO_LONG": NO_SUCH_STRING,
    "SHARING-NAME-021:TOO_LONG +1": NO_SUCH_STRING,
    "SHARING-NAME-021:TOO_LONG -1": "no test can make a driver give 64 bytes of 255 for a name",
    "SHARING-OPEN-006:without 2: not again": "who has a name open was permitted, and stays so",
    "SHARING-OPEN-007:without 3: not again": "nobody has a name open on two devices, by this rule",
    "SHARING-OPEN-009:without 3: not again": "nothing is promised about it (SHARING-OPEN-011)",
    "SHARING-OPEN-011:without 1: not share.valid": "in SVM v2 what ends a name takes its memory",
    "SHARING-PEEROFF-004:without 2: found.ended": "a process that calls has not ended",
    "SHARING-REGISTER-005:FIRST_UNKNOWN_PROCESS -1": "for the process of number 5 other rules "
    "have the same code, or it is open",
    "SHARING-REGISTER-030:0 ?1": "no address is told of what is registered for DMA",
    "UVM-ADVISE-021:dropped": NEIGHBOURS,
    "UVM-BATCH-023:dropped": NEIGHBOURS,
    "UVM-FETCH-021:dropped": NEIGHBOURS,
    "UVM-RANGE-023:dropped": NEIGHBOURS,
    "UVM-ADVISE-033:0 ?1": "nobody asks for the number of a place of no type",
    "RUNTIME-FINAL-002:without 2: _has_work(state)": "no device is given up while a task is under "
    "way (RUNTIME-RESET-003)",
    "RUNTIME-FSTREAM-005:without 1: found.fallible": REUSE,
    "RUNTIME-QUERY-011:without 2: found.fallible": REUSE,
    "RUNTIME-EVENT-010:0 ?1": NUMBERED,
    "RUNTIME-EVENT-010:0 ?1 (2)": NUMBERED,
    "RUNTIME-SYNCEV-005:NO_LINE +1": "the first stream is a default one, on which no task may fail",
    "RUNTIME-VWRITE-010:SIZE -1": WHOLE_VALUES,
    "RUNTIME-VWRITE-010:SIZE ?1 (2)": WHOLE_VALUES,
    "RUNTIME-VWAIT-007:SIZE -1": WHOLE_VALUES,
    "RUNTIME-VWAIT-01?:SIZE -1": WHOLE_VALUES,
    "RUNTIME-ADVISE-011:dropped": NEIGHBOURS,
    "RUNTIME-RANGE-009:dropped": NEIGHBOURS,
    "RUNTIME-RANGES-010:dropped": NEIGHBOURS,
    "RUNTIME-ADVISE-030:dropped": OTHER_CODE,
    "RUNTIME-ADVISE-030:effect dropped": OTHER_CODE,
    "RUNTIME-MEMSET-005:without 1: work.writes": "a task that waits for a value writes nothing",
    "RUNTIME-ACOPY-030:dropped": TASK,
    "RUNTIME-ACOPY-030:effect dropped": TASK,
    "RUNTIME-SETATTR-009:without 2: _pool(call, state).doubtful": TASK,
    "RUNTIME-GETATTR-005:without 2: _pool(call, state).doubtful": TASK,
    "RUNTIME-PMALLOC-008:without 1: found.doubtful": TASK,
    "RUNTIME-PFREE-009:without 1: pool.doubtful": TASK,
    "RUNTIME-TRIM-004:dropped": TASK,
    "RUNTIME-PMALLOC-007:without 2: call.size != 0": WITHIN,
    "RUNTIME-PMALLOC-007:0 -1": WITHIN,
    "RUNTIME-PMALLOC-024:guard dropped": "null is given for no bytes, and no pool has memory there",
    "RUNTIME-POOL-020:0 -1 (2)": "pools and what they give out are whole pages, so a byte less is "
    "as good",
    "RUNTIME-REGISTER-020:PINNED +1": "nobody asks more than whether the device reaches the memory",
    "PHYSICAL-PERMIT2-005:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-PERMIT2-006:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-IMPORT2-005:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-IMPORT2-011:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-IMPORT2-011:code moved": MIDWAY,
    "PHYSICAL-IMPORT-010:dropped": MIDWAY,
    "PHYSICAL-IMPORT-010:code moved": MIDWAY,
    "IPC-IMPORT-010:dropped": MIDWAY,
    "IPC-IMPORT-010:code moved": MIDWAY,
    "IPC-IMPORT-010:without 1: share.exists": "what is not there has no list that one may be on",
    "IPC-IMPORT-004:without 1: is_string(call.key)": NAMES,
    "IPC-CLOSE-003:without 1: is_string(call.key)": NAMES,
    "IPC-CLOSE-005:without 1: has_gone(share)": "what its maker gave up is there only as long as "
    "others have it open",
    "IPC-KEY-020:0 ?1": "the way to the memory is told of names of the driver alone",
    "PHYSICAL-RESERVE-009:without 1: _asked_for(call)": "nothing lives at the lowest addresses, "
    "which null would ask for",
    "PHYSICAL-EXPORT-004:without 1: usable(state, call.handle)": "what is no usable handle is "
    "undefined anyway (PHYSICAL-EXPORT-005)",
    "PHYSICAL-EXPORT2-003:without 1: usable(state, call.handle)": "what is no usable handle is "
    "undefined anyway (PHYSICAL-EXPORT2-004)",
    "PHYSICAL-EXPORT-022:without 2: not known_otherwise(state, number)": "the wrong results that "
    "are tried are no numbers in bytes that were given",
    "PHYSICAL-PERMIT-003:without 2: not known_otherwise(*": "such a number is undefined anyway "
    "(PHYSICAL-PERMIT-008)",
    "PHYSICAL-IMPORT-004:without 2: not known_otherwise(*": "such a number is undefined anyway "
    "(PHYSICAL-IMPORT-008)",
    "SVM-C2D-014:without 2: _converts(call)": "a copy at once takes no descriptor, and one that is "
    "destroyed is of the device that it was made for",
    "SVM-C2D-015:without 2: _destroys(call)": "a copy at once takes no descriptor, and to make one "
    "of what was changed is undefined (SVM-C2D-024)",
    "SVM-C2D-024:without 2: call.p_copy.dma.altered": FRESH,
    "SVM-CONV-014:without 2: call.dma_addr.altered": FRESH,
    "SVM-INFO-014:USER ?1": OFF_DEVICES,
    "SVM-INFO-014:without 3: block.kind != USER": OFF_DEVICES,
    "SVM-ADVISE-010:without 4: not block.contiguous": "of a contiguous block, the whole passes and "
    "a part is undefined (SVM-ADVISE-014)",
    "SVM-ADVISE-011:without 1: block.contiguous": EXTENT,
    "SVM-ALLOC-013:without 1: call.flag.virt != HOST_AGENT": "for the host agent any code may come "
    "(SVM-ALLOC-031)",
    "SVM-ATTR-023:without 1: block.kind == HOST": "memory of the host has normal pages, whatever "
    "was asked for (SVM-ALLOC-007, SVM-ALLOC-008)",
    "SVM-C2D-019:without 5: not _barred(call, state)": f"{SAME_CODE} (SVM-C2D-021)",
    "SVM-CONV-007:without 2: not _barred(call, state)": f"{SAME_CODE} (SVM-CONV-010)",
    "SVM-CTL-016:without 1: of_a_window(call)": MEMBERS,
    "SVM-CTL-023:without 1: is_type(call, CP_MAP)": MEMBERS,
    "SVM-INFO-006:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-007:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-008:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-011:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-013:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-014:without 1: _asks_token(call)": MEMBERS,
    "SVM-INFO-010:USER ?1": OFF_DEVICES,
    "SVM-INFO-010:without 2: block.kind == USER": OFF_DEVICES,
    "SVM-FREE-008:without 2: not allocated(block)": "no test can have halMemAlloc give addresses "
    "of pools",
    "SVM-FREE-010:without 2: is_held(after, each.id)": "nobody reads memory that is gone",
    "SVM-PREF-020:without 2: block.place == ON_HOST": "from elsewhere it is undefined or refused, "
    "and what is on the device stays there (SVM-PREF-007, SVM-PREF-009)",
    "VMM-MAP-023:without 1: usable(state, call.handle)": "what is no usable handle is undefined "
    "anyway (VMM-MAP-016)",
}
"""Why mutations of rules survive, by patterns of ``RULE:CHANGE``."""
