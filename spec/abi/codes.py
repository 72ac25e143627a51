"""Return codes of the HAL, ``drvError_t``: the complete enumeration."""

from __future__ import annotations

from enum import IntEnum

from halcert.spec.abi.acl.codes import acl_symbol_of


class DrvError(IntEnum):
    """What a HAL call answers; 4 bytes in the ABI."""

    NONE = 0
    NO_DEVICE = 1
    INVALID_DEVICE = 2
    INVALID_VALUE = 3
    INVALID_HANDLE = 4
    INVALID_MALLOC_TYPE = 5
    OUT_OF_MEMORY = 6
    INNER_ERR = 7
    PARA_ERROR = 8
    UNINIT = 9
    REPEATED_INIT = 10
    NOT_EXIST = 11
    REPEATED_USERD = 12
    BUSY = 13
    NO_RESOURCES = 14
    OUT_OF_CMD_SLOT = 15
    WAIT_TIMEOUT = 16
    IOCRL_FAIL = 17
    SOCKET_CREATE = 18
    SOCKET_CONNECT = 19
    SOCKET_BIND = 20
    SOCKET_LISTEN = 21
    SOCKET_ACCEPT = 22
    CLIENT_BUSY = 23
    SOCKET_SET = 24
    SOCKET_CLOSE = 25
    RECV_MESG = 26
    SEND_MESG = 27
    SERVER_BUSY = 28
    CONFIG_READ_FAIL = 29
    STATUS_FAIL = 30
    SERVER_CREATE_FAIL = 31
    WAIT_INTERRUPT = 32
    BUS_DOWN = 33
    DEVICE_NOT_READY = 34
    REMOTE_NOT_LISTEN = 35
    NON_BLOCK = 36
    OVER_LIMIT = 37
    FILE_OPS = 38
    MBIND_FAIL = 39
    MALLOC_FAIL = 40
    REPEATED_SUBSCRIBED = 41
    PROCESS_EXIT = 42
    DEV_PROCESS_HANG = 43
    REMOTE_NO_SESSION = 44
    HOT_RESET_IN_PROGRESS = 45
    OPER_NOT_PERMITTED = 46
    NO_EVENT_RESOURCES = 47
    NO_STREAM_RESOURCES = 48
    NO_NOTIFY_RESOURCES = 49
    NO_MODEL_RESOURCES = 50
    TRY_AGAIN = 51
    DST_PATH_ILLEGAL = 52
    OPEN_FAILED = 53
    NO_FREE_SPACE = 54
    LOCAL_ABNORMAL_FILE = 55
    DST_PERMISSION_DENIED = 56
    DST_NO_SUCH_FILE = 57
    MEMORY_OPT_FAIL = 58
    RUNTIME_ON_OTHER_PLAT = 59
    SQID_FULL = 60
    SERVER_HAS_BEEN_CREATED = 61
    NO_PROCESS = 62
    NO_SUBSCRIBE_THREAD = 63
    NON_SCHED_GRP_MUL_THREAD = 64
    NO_GROUP = 65
    GROUP_EXIST = 66
    THREAD_EXCEEDS_SPEC = 67
    THREAD_NOT_RUNNIG = 68
    PROCESS_NOT_MATCH = 69
    EVENT_NOT_MATCH = 70
    PROCESS_REPEAT_ADD = 71
    GROUP_NON_SCHED = 72
    NO_EVENT = 73
    COPY_USER_FAIL = 74
    QUEUE_EMPTY = 75
    QUEUE_FULL = 76
    RUN_IN_ILLEGAL_CPU = 77
    SUBSCRIBE_THREAD_TIMEOUT = 78
    BAD_ADDRESS = 79
    DST_FILE_IS_BEING_WRITTEN = 80
    EPOLL_CLOSE = 81
    CDQ_ABNORMAL = 82
    CDQ_NOT_EXIST = 83
    NO_CDQ_RESOURCES = 84
    CDQ_QUIT = 85
    PARTITION_NOT_RIGHT = 86
    RESOURCE_OCCUPIED = 87
    PERMISSION = 88
    RESUME = 89
    DEV_UNAUTHORIZED_ACCESS_DEVICE = 90
    DEV_BIST_HW_ERR = 91
    DEV_BIST_SW_ERR = 92
    DEV_DUP_CONFIG = 93
    POWER_OP_FAIL = 94
    NET_UNREACH = 95
    TRANS_LINK_ABNORMAL = 96
    TRANS_LINK_ACK_TIMEOUT_ERR = 97
    CALL_NO_RETRY = 98
    CONNECT = 99
    NOT_SUPPORT = 0xFFFE
    RESERVED = 0xFFFF


RUNTIME = "acl"
"""What the names of the runtime's functions begin with."""


def symbol_of(code: int, function: str = "") -> str:
    """Return the C name of a return code, the driver's or the runtime's, or the number.

    Args:
        code: the code.
        function: the function that returned it. Both libraries have a name for 0, and no other
            code in common.
    """
    if function.startswith(RUNTIME):
        return acl_symbol_of(code)
    try:
        name = DrvError(code).name
    except ValueError:
        return acl_symbol_of(code)
    if name.startswith("DEV_") and code >= DrvError.DEV_UNAUTHORIZED_ACCESS_DEVICE:
        return f"DEV_ERROR_{name[4:]}"
    return f"DRV_ERROR_{name}"
