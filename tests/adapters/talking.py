"""A program for the exec adapter that does what the name of the interface says.

It is started as ``python talking.py``; a second argument changes how it behaves from the start.
"""

import json
import os
import signal
import sys
import threading
import time

HOST = ["host.map", "host.unmap", "host.store", "host.fill", "host.load"]
CALLS = ["halMemAlloc", "halMemFree", "drvMemcpy", "halMemCtl", "drvMemsetD8", "halMemMap"]
LOCK = threading.Lock()
BARRIER = threading.Barrier(2)


def tell(message):
    with LOCK:
        say(json.dumps(message))


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def answered(ask):
    number, args = ask["number"], ask["args"]
    match ask["interface"]:
        case "halMemAlloc":
            return {"number": number, "out": {"pp": 4096, "args": args}}
        case "halMemFree":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "drvMemcpy":
            time.sleep(60)
        case "halMemCtl":
            return {"number": number, "error": "type 12 is not known"}
        case "drvMemsetD8":
            say("what?")
        case "halMemMap":
            BARRIER.wait(20)
            return {"number": number, "code": ask["thread"]}
        case "host.load":
            return {"number": number, "out": {"data": "00ff"}}
        case "host.fill":
            sys.stderr.write("goodbye\n")
            sys.stderr.flush()
            os._exit(7)
        case "host.map":
            return {"number": number + 100}
    return {"number": number, "code": 0}


def main(how):
    hello = {"format": "halcert-exec/1", "name": "talking", "devices": 2, "version": "2.1"}
    if how == "silent":
        time.sleep(60)
    if how == "dying":
        sys.exit("no licence")
    if how == "noisy":
        say("Welcome!")
    if how == "later":
        hello["format"] = "halcert-exec/9"
    if how == "poor":
        tell({**hello, "interfaces": ["halMemAlloc"]})
        return
    if how == "inventive":
        tell({**hello, "interfaces": [*HOST, "halMemDream"]})
        return
    tell({**hello, "threads": how == "threads", "interfaces": HOST + CALLS})
    for line in sys.stdin:
        ask = json.loads(line)
        if ask.get("thread"):
            threading.Thread(target=lambda ask=ask: tell(answered(ask))).start()
        else:
            tell(answered(ask))


main(sys.argv[1])
