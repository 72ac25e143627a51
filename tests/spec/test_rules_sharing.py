"""The rules of sharing: each is seen by a flow or by a case, on both sides of its condition."""

from __future__ import annotations

import pytest

from halcert.conformance.lab import Lab, Setting
from halcert.conformance.model_adapter import ModelAdapter
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.scenarios import sharing as names
from halcert.conformance.scenarios import sharing_physical as physical
from halcert.conformance.tally import Tally
from halcert.model.concrete import Oracle
from halcert.spec.catalogue import AREAS, interfaces, rule
from halcert.spec.language import FAILURE, Kind
from halcert.spec.profiles import PROFILES

OWNER, OPENER, STRANGER = 0, 1, 2
PRODUCTS = ("ascend910b", "ascend950")
LONG = "names-never-come-back"
LATE = 2**40
OUT_OF_MEMORY = 6
CONDITIONS = (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED)
ODD = {"name": None}
"""What is passed where a name is missing."""

USUAL = {
    "halShmemCreateHandle": {"vptr": "block", "byte_count": 4096, "name": True, "name_len": 65},
    "halShmemDestroyHandle": {"name": "name"},
    "halShmemSetPidHandle": {"name": "name", "pid": ["stranger"], "num": 1},
    "halShmemSetPodPid": {"name": "name", "sdid": 0, "pid": ["stranger"], "num": 1},
    "halShmemSetAttribute": {"name": "fresh", "type": 1, "attr": 1},
    "halShmemGetAttribute": {"name": "name", "type": 1, "attr": True},
    "halShmemInfoGet": {"name": "name", "info": True},
    "halShmemOpenHandle": {"name": "open", "vptr": True},
    "halShmemOpenHandleByDevId": {"dev_id": 0, "name": "open", "vptr": True},
    "halShmemOpenHandleV2": {"dev_id": 0, "name": "open", "vptr": True, "flag": 0},
    "halShmemCloseHandle": {"vptr": "opened"},
    "halShmemMapRouteCheck": {"name": "name", "dst_devid": 0, "map_route": 0},
    "halMemExportToShareableHandle": {
        "handle": "handle",
        "handle_type": 0,
        "flags": 0,
        "shareable_handle": True,
    },
    "halMemExportToShareableHandleV2": {
        "handle": "handle",
        "handle_type": 0,
        "flags": 0,
        "share_handle": True,
    },
    "halMemTransShareableHandle": {
        "handle_type": 0,
        "share_handle": "bytes",
        "server_id": True,
        "shareable_handle": True,
    },
    "halMemSetPidToShareableHandle": {
        "shareable_handle": "number",
        "pid": ["opener"],
        "pid_num": 1,
    },
    "halMemShareHandleSetAttribute": {
        "handle": "number",
        "type": 0,
        "attr": {"enableFlag": 1},
    },
    "halMemShareHandleGetAttribute": {"handle": "number", "type": 0, "attr": True},
    "halMemShareHandleInfoGet": {"handle": "number", "info": True},
    "halMemImportFromShareableHandle": {
        "shareable_handle": "number",
        "devid": 0,
        "handle": True,
    },
    "halMemImportFromShareableHandleV2": {
        "handle_type": 0,
        "share_handle": "bytes",
        "devid": 0,
        "handle": True,
    },
    "halMemHandleSetAttribute": {"handle": "handle", "type": 0, "attr": {"mem_map_route": 1}},
    "halMemHandleGetAttribute": {"handle": "handle", "type": 0, "attr": True},
    "halDeviceEnableP2P": {"dev": 0, "peer_dev": 1, "flag": 0},
    "halDeviceDisableP2P": {"dev": 1, "peer_dev": 0, "flag": 0},
    "drvGetP2PStatus": {"dev": 0, "peer_dev": 1, "status": True},
    "halDeviceCanAccessPeer": {"can_access_peer": True, "dev": 0, "peer_dev": 1},
    "halHostRegister": {
        "src_ptr": "user",
        "size": 4096,
        "flag": 3,
        "devid": 0,
        "dst_ptr": True,
    },
    "halHostUnregister": {"src_ptr": "registered", "devid": 0},
    "halHostUnregisterEx": {"src_ptr": "registered", "devid": 0, "flag": 3},
    "halMemHostGetDevPointer": {"src_ptr": "registered", "devid": 0, "dst_ptr": True},
    "halHostRegisterCapabilities": {"devid": 0, "acc_module_type": 0, "mem_map_cap": True},
    "halSupportFeature": {"devId": 0, "type": 11},
    "halMemFree": {"pp": "block"},
    "drvMemPrefetchToDevice": {"dev_ptr": "block", "len": 4096, "device": 0},
    "halMemRelease": {"handle": "handle"},
    "host.exit": {"how": 1},
    "host.rest": {"milliseconds": 1},
}
"""A call of each interface that is accepted on the stage, or refused for its state alone."""
SEATS = {
    "halShmemOpenHandle": OPENER,
    "halMemImportFromShareableHandle": OPENER,
    "halMemImportFromShareableHandleV2": OPENER,
}
"""Which process makes it, where it is not the owner."""

DIFFERENCES: dict[str, dict[str, object]] = {
    "SHARING-NAME-001": {"name": False},
    "SHARING-NAME-006": {"vptr": "control"},
    "SHARING-NAME-007": {"vptr": "readonly"},
    "SHARING-NAME-011": {"vptr": "mapped"},
    "SHARING-NAME-012": {"vptr": "block+4096"},
    "SHARING-NAME-013": {"vptr": "small", "byte_count": 200},
    "SHARING-NAME-014": {},
    "SHARING-PERMIT-001": {"pid": None},
    "SHARING-PERMIT-002": {"num": 0},
    "SHARING-PERMIT-010": {"num": 2},
    "SHARING-PERMIT-011": {},
    "SHARING-POD-001": {"pid": None},
    "SHARING-POD-002": {"num": -1},
    "SHARING-POD-003": {"num": 32},
    "SHARING-POD-004": ODD,
    "SHARING-POD-006": {"name": "open"},
    "SHARING-POD-007": {"num": 2},
    "SHARING-POD-008": {"sdid": 1},
    "SHARING-POD-009": {},
    "SHARING-SETATTR-001": ODD,
    "SHARING-SETATTR-002": {"type": 2},
    "SHARING-SETATTR-004": {"attr": 2},
    "SHARING-SETATTR-005": {"attr": 0},
    "SHARING-SETATTR-006": {"name": "41" * 60},
    "SHARING-SETATTR-007": {"name": "theirs"},
    "SHARING-SETATTR-009": {"name": "destroyed"},
    "SHARING-SETATTR-010": {"type": 0},
    "SHARING-GETATTR-002": {"attr": False},
    "SHARING-GETATTR-003": {"type": 2},
    "SHARING-GETATTR-006": {"by": STRANGER},
    "SHARING-NAMEINFO-002": {"info": False},
    "SHARING-NAMEINFO-004": {"by": STRANGER},
    "SHARING-NAMEINFO-006": {"by": STRANGER},
    "SHARING-OPEN-002": {"vptr": False},
    "SHARING-OPEN-003": {"dev_id": 66},
    "SHARING-OPEN-012": {},
    "SHARING-OPEN-013": {"dev_id": 1},
    "SHARING-OPENLAST-002": ODD,
    "SHARING-OPENLAST-003": {"vptr": False},
    "SHARING-OPENLAST-005": {"by": OWNER},
    "SHARING-OPENLAST-006": {"name": "uncertain"},
    "SHARING-OPENLAST-007": {},
    "SHARING-OPENLAST-008": {"name": "other", "by": OPENER},
    "SHARING-OPENWAY-002": ODD,
    "SHARING-OPENWAY-003": {"vptr": False},
    "SHARING-OPENWAY-004": {"dev_id": 65},
    "SHARING-OPENWAY-006": {"name": "41" * 60},
    "SHARING-OPENWAY-007": {"name": "uncertain"},
    "SHARING-OPENWAY-008": {},
    "SHARING-OPENWAY-009": {"flag": 2},
    "SHARING-CLOSE-001": {"vptr": 0},
    "SHARING-ROUTE-003": {"dst_devid": 66},
    "SHARING-ROUTE-004": {"map_route": 1},
    "SHARING-ROUTE-006": {},
    "SHARING-EXPORT-001": {"shareable_handle": False},
    "SHARING-EXPORT-003": {"handle": 0},
    "SHARING-EXPORT-005": {"handle": 999},
    "SHARING-EXPORT-006": {"flags": 1},
    "SHARING-EXPORT-007": {},
    "SHARING-EXPORT-008": {"handle": "host handle"},
    "SHARING-EXPORT2-001": {"share_handle": False},
    "SHARING-EXPORT2-002": {"handle_type": 3},
    "SHARING-EXPORT2-003": {"flags": 1},
    "SHARING-EXPORT2-004": {"handle": 0},
    "SHARING-EXPORT2-006": {"handle": 999},
    "SHARING-EXPORT2-007": {},
    "SHARING-EXPORT2-008": {"handle_type": 1},
    "SHARING-TRANS-001": {"server_id": False},
    "SHARING-TRANS-002": {"handle_type": 3},
    "SHARING-TRANS-004": {"share_handle": "00" * 128},
    "SHARING-TRANS-005": {},
    "SHARING-HPERMIT-001": {"pid": None},
    "SHARING-HPERMIT-002": {"pid_num": 0},
    "SHARING-HPERMIT-003": {"pid_num": 65536},
    "SHARING-HPERMIT-008": {"pid_num": 2},
    "SHARING-HPERMIT-009": {},
    "SHARING-HSETATTR-001": {"type": 1},
    "SHARING-HSETATTR-002": {"handle": 999},
    "SHARING-HGETATTR-001": {"type": 1},
    "SHARING-HGETATTR-002": {"attr": False},
    "SHARING-HGETATTR-004": {"by": STRANGER},
    "SHARING-HINFO-001": {"info": False},
    "SHARING-HINFO-003": {"by": STRANGER},
    "SHARING-HINFO-004": {"handle": "host number"},
    "SHARING-HINFO-005": {"by": STRANGER},
    "SHARING-IMPORT-001": {"devid": 66},
    "SHARING-IMPORT-002": {"handle": False},
    "SHARING-IMPORT-008": {"devid": 1},
    "SHARING-IMPORT-009": {},
    "SHARING-IMPORT-010": {"shareable_handle": "host number"},
    "SHARING-IMPORT2-001": {"share_handle": None},
    "SHARING-IMPORT2-002": {"devid": 66},
    "SHARING-IMPORT2-003": {"handle_type": 3},
    "SHARING-IMPORT2-007": {"by": OWNER},
    "SHARING-IMPORT2-008": {"by": STRANGER},
    "SHARING-IMPORT2-009": {"by": OWNER},
    "SHARING-IMPORT2-010": {"devid": 1},
    "SHARING-IMPORT2-011": {"share_handle": "00" * 128},
    "SHARING-IMPORT2-012": {},
    "SHARING-IMPORT2-013": {"handle_type": 1},
    "SHARING-SETWAY-001": {"handle": 0},
    "SHARING-SETWAY-002": {"type": 1},
    "SHARING-SETWAY-003": {"attr": {"mem_map_route": 2}},
    "SHARING-SETWAY-004": {"handle": "host handle"},
    "SHARING-SETWAY-008": {"handle": 999},
    "SHARING-SETWAY-009": {},
    "SHARING-GETWAY-001": {"type": 1},
    "SHARING-GETWAY-002": {"attr": False},
    "SHARING-GETWAY-003": {"attr": False},
    "SHARING-GETWAY-004": {"handle": 0},
    "SHARING-GETWAY-005": {"handle": 999},
    "SHARING-GETWAY-006": {},
    "SHARING-PEERON-001": {"dev": 1124},
    "SHARING-PEERON-002": {"peer_dev": 0},
    "SHARING-PEERON-003": {"peer_dev": 7},
    "SHARING-PEERON-004": {"flag": 1},
    "SHARING-PEERON-005": {},
    "SHARING-PEEROFF-001": {"peer_dev": 1124},
    "SHARING-PEEROFF-002": {"peer_dev": 1},
    "SHARING-PEEROFF-003": {"dev": 7},
    "SHARING-PEEROFF-004": {"by": STRANGER},
    "SHARING-PEEROFF-005": {"flag": 1},
    "SHARING-PEERASK-001": {"status": False},
    "SHARING-PEERCAN-001": {"can_access_peer": False},
    "SHARING-PEERCAN-002": {"dev": 1124},
    "SHARING-PEERCAN-003": {"dev": 7},
    "SHARING-PEERCAN-004": {"dev": 1},
    "SHARING-REGISTER-016": {"src_ptr": 1},
    "SHARING-REGISTER-018": {"flag": 4},
    "SHARING-UNREG-002": {"src_ptr": "twice"},
    "SHARING-UNREGEX-002": {"src_ptr": 0},
    "SHARING-UNREGEX-003": {"flag": 3 | 1 << 16},
    "SHARING-UNREGEX-005": {"devid": 66},
    "SHARING-UNREGEX-007": {"flag": 6},
    "SHARING-UNREGEX-008": {"flag": 3 | 1 << 16},
    "SHARING-UNREGEX-009": {"src_ptr": "twice"},
    "SHARING-DEVPTR-002": {"dst_ptr": False},
    "SHARING-DEVPTR-003": {"devid": 66},
    "SHARING-DEVPTR-005": {"src_ptr": "user"},
    "SHARING-DEVPTR-006": {"src_ptr": "twice"},
    "SHARING-FEATURE-001": {"type": 2},
    "SVM-FREE-009": {"pp": "opened", "by": OPENER},
    "SVM-FREE-011": {"pp": "registered block"},
    "SVM-PREF-017": {"dev_ptr": "opened", "by": OPENER},
    "SHARING-EXIT-001": {"how": 2},
    "SHARING-REST-001": {"milliseconds": 2**20},
    "SHARING-NAME-015": {"by": STRANGER},
    "SHARING-UNNAME-005": {"by": STRANGER},
    "SHARING-SETATTR-012": {"name": "doubtful"},
    "SHARING-OPEN-015": {"name": "doubtful", "by": OPENER},
    "SHARING-OPENLAST-010": {"name": "doubtful"},
    "SHARING-HSETATTR-008": {"handle": "doubtful number"},
    "SHARING-IMPORT-012": {"shareable_handle": "doubtful number"},
    "SHARING-IMPORT2-015": {"share_handle": "doubtful bytes"},
    "SHARING-PERMIT-012": {"by": STRANGER},
    "SHARING-SETATTR-011": {"by": STRANGER},
    "SHARING-OPEN-014": {"by": STRANGER},
    "SHARING-OPENLAST-009": {"by": STRANGER},
    "SHARING-CLOSE-004": {"by": STRANGER},
    "SHARING-IMPORT-011": {"by": STRANGER},
    "SHARING-IMPORT2-014": {"by": STRANGER},
    "SHARING-HPERMIT-010": {"by": STRANGER},
    "SHARING-HSETATTR-007": {"by": STRANGER},
    "SHARING-REGISTER-023": {"by": STRANGER},
    "SHARING-CAPS-005": {"by": STRANGER},
}
"""For rules that no flow meets: what is different from the usual call."""

ALWAYS = {
    "SHARING-NAME-014",
    "SHARING-PERMIT-011",
    "SHARING-POD-009",
    "SHARING-OPEN-012",
    "SHARING-OPENLAST-007",
    "SHARING-OPENWAY-008",
    "SHARING-ROUTE-006",
    "SHARING-EXPORT-007",
    "SHARING-EXPORT2-007",
    "SHARING-TRANS-005",
    "SHARING-HPERMIT-009",
    "SHARING-IMPORT-009",
    "SHARING-IMPORT2-012",
    "SHARING-SETWAY-009",
    "SHARING-GETWAY-006",
    "SHARING-PEERON-005",
}
"""Rules without a condition."""
PLAIN = ("dst", "dest_max", "src", "byte_count")
EXTENDED = ("dst", "dst_size", "src", "count")
"""Arguments of drvMemcpy and halMemcpy in the same order."""
DEEP = {
    "SHARING-IMPORT2-005": "needs memory that is mapped after its exporter released it",
    "SHARING-SETWAY-011": "only machines with a unified bus have several ways",
}
"""Rules that the proofs reach and neither flows nor cases do."""


def setting(session, product):
    known = interfaces()
    return Setting(session, Oracle(known.values(), PROFILES[product]), known, (0, 1))


class Stage:
    """Processes with one thing of each sort, by what the cases call it."""

    def __init__(self, lab):
        self.lab = lab
        names.begin(lab, OWNER, OPENER)
        lab.call("halMemAgentOpen", OWNER, devid=1, flag=0)
        lab.actor(STRANGER)
        self.known = {
            "stranger": lab.pid(STRANGER),
            "opener": lab.pid(OPENER),
            "block": names.allocate(lab, 8192),
            "small": names.allocate(lab, 100),
            "readonly": names.allocate(lab, 8192, readonly=1),
            "control": names.allocate(lab, 8192, cp_only=1),
        }
        self._names()
        self._memory()
        self._doubts()
        lab.call("halSupportFeature", OWNER, devId=0, type=11)
        self._registrations()
        lab.call("halDeviceEnableP2P", OWNER, dev=1, peer_dev=0, flag=0)

    def _name(self, *, to_all=False, address=None, by=OWNER):
        address = address or self.known["block"]
        token = names.name(self.lab, address, 4096, by)
        if to_all:
            names.anyone(self.lab, token, by)
        return token

    def _names(self):
        lab = self.lab
        self.known["name"], self.known["fresh"] = self._name(), self._name()
        names.permit(lab, self.known["name"], OPENER)
        self.known["open"], self.known["destroyed"] = (self._name(to_all=True) for _ in "ab")
        self.known["opened"] = names.open_name(lab, self.known["open"])
        names.open_name(lab, self.known["destroyed"])
        names.destroy(lab, self.known["destroyed"])
        gone = names.allocate(lab, 4096)
        self.known["uncertain"] = self._name(to_all=True, address=gone)
        lab.call("halMemFree", OWNER, pp=gone)
        theirs = names.allocate(lab, 4096, OPENER)
        self.known["theirs"] = self._name(address=theirs, by=OPENER)
        elsewhere = names.allocate(lab, 4096, devid=1)
        self.known["other"] = self._name(to_all=True, address=elsewhere)

    def _memory(self):
        lab = self.lab
        handles = [physical.create(lab) for _ in range(3)]
        self.known["handle"] = handles[0]
        self.known["mapped"] = physical.mapped(lab, handles[0], OWNER)
        self.known["number"] = physical.export(lab, handles[1])
        self.known["bytes"] = physical.export_bytes(lab, handles[2])
        args = {"handle": True, "size": physical.SIZE, "flag": 0}
        for what in ("host handle", "host number"):
            made = lab.call("halMemCreate", OWNER, **args, prop={"side": 0, "module_id": 48})
            self.known[what] = made.handle
        self.known["host number"] = physical.export(lab, self.known["host number"])

    def _doubts(self):
        """Let calls that enter the opener and a stranger fail: the opener may be let in."""
        lab = self.lab
        self.known["doubtful"] = self._name()
        self.known["doubtful number"] = physical.export(lab, physical.create(lab))
        self.known["doubtful bytes"] = physical.export_bytes(lab, physical.create(lab))
        sent = {"handle_type": 0, "share_handle": self.known["doubtful bytes"]}
        told = lab.call("halMemTransShareableHandle", **sent, server_id=True, shareable_handle=True)
        pids = {"pid": [lab.pid(OPENER), lab.pid(STRANGER)]}
        self._short_of_memory("halShmemSetPidHandle", name=self.known["doubtful"], num=2, **pids)
        for number in (self.known["doubtful number"], told.shareable_handle):
            name = "halMemSetPidToShareableHandle"
            self._short_of_memory(name, shareable_handle=number, pid_num=2, **pids)

    def _short_of_memory(self, called, **args):
        lab = self.lab
        interface = lab.setting.interfaces[called]
        call, result = interface.parse(args), interface.parse_result(OUT_OF_MEMORY, {})
        lab.world = lab.setting.oracle.judge(lab.world, call, result, process=OWNER).world

    def _registrations(self):
        lab = self.lab
        block = self.known["registered block"] = names.allocate(lab, 2**21)
        args = {"src_ptr": block, "size": 4096, "flag": 2, "devid": 0, "dst_ptr": True}
        lab.call("halHostRegister", OWNER, **args)
        for what, kinds in (("user", ()), ("registered", (3,)), ("twice", (3, 6))):
            self.known[what] = lab.call("host.map", OWNER, size=8192).address
            for kind in kinds:
                args = {"src_ptr": self.known[what], "size": 4096, "flag": kind, "devid": 0}
                lab.call("halHostRegister", OWNER, **args, dst_ptr=True)

    def value(self, given):
        if isinstance(given, list):
            return [self.value(each) for each in given]
        if not isinstance(given, str):
            return given
        what, _, plus = given.partition("+")
        return self.known[what] + int(plus) if plus else self.known.get(what, given)

    def holds(self, rule_id, **changes):
        """Tell whether the condition of a rule is true at the usual call with some changes."""
        found = rule(rule_id)
        by = changes.pop("by", SEATS.get(found.interface, OWNER))
        args = {n: self.value(v) for n, v in (USUAL[found.interface] | changes).items()}
        call = self.lab.setting.interfaces[found.interface].parse(args)
        given = {"state": self.lab.view(by), "profile": self.lab.setting.profile}
        return bool(found.function(call, **{name: given[name] for name in found.needs}))


@pytest.fixture(name="session", params=PRODUCTS, scope="module")
def _session(request):
    with ModelAdapter().open(request.param) as session:
        yield session


@pytest.fixture(name="stage", scope="module")
def _stage(session):
    with Lab(setting(session, session.profile.name), "stage", Tally()) as lab:
        yield Stage(lab)


@pytest.mark.parametrize("rule_id", sorted(DIFFERENCES))
def test_a_rule_tells_its_case_from_the_usual_call(stage, rule_id):
    if not rule(rule_id).applies_to(stage.lab.setting.profile.name):
        pytest.skip("not of this generation")
    assert stage.holds(rule_id, **DIFFERENCES[rule_id])
    assert stage.holds(rule_id) == (rule_id in ALWAYS)


@pytest.mark.parametrize("product", PRODUCTS)
def test_flows_and_cases_together_meet_every_rule(product):
    tally = Tally()
    flows = {n: s.flow for n, s in SCENARIOS.items() if s.area == "sharing" and n != LONG}
    for name, flow in flows.items():
        with (
            ModelAdapter().open(product) as session,
            Lab(setting(session, product), name, tally) as lab,
        ):
            flow(lab)
    met = {*tally.shown, *tally.held, *tally.skipped, *DIFFERENCES, *DEEP}
    rules = [each for each in AREAS["sharing"].rules() if each.applies_to(product)]
    left_alone = {each.id for each in rules if each.on == FAILURE}
    missing = {each.id for each in rules} - met - left_alone
    assert missing <= {"SHARING-OPENLAST-023"}


def test_mapped_memory_is_copied_as_long_as_somebody_tells_what_holds(session):
    product = session.profile.name
    with Lab(setting(session, product), "maker", Tally()) as lab:
        _, _, theirs = physical.shared(lab)
        names.look(lab, OPENER)
        place = lab.call("host.map", OPENER, size=4096)
        copy = {"dst": place.address, "dest_max": 64, "src": theirs.address, "byte_count": 64}
        assert lab.call("drvMemcpy", OPENER, **copy).code == 0
        names.leave(lab, OWNER, 1)
        after = lab.call("drvMemcpy", OPENER, **copy)
    assert (after is None) == (product == "ascend950")


@pytest.mark.parametrize("number", [0, 1, 2**63])
def test_shares_are_numbered_from_zero_on(number):
    told = interfaces()["halMemExportToShareableHandle"]
    result = told.parse_result(0, {"shareable_handle": number})
    assert rule("SHARING-EXPORT-021").function(None, result)


@pytest.mark.parametrize(
    "rule_id, names_of", [("SVM-COPY-028", PLAIN), ("SVM-HCOPY-037", EXTENDED)]
)
def test_copies_of_imported_memory_may_be_refused_within_its_device(session, rule_id, names_of):
    with Lab(setting(session, session.profile.name), "importer", Tally()) as lab:
        owned, _, theirs = physical.shared(lab)
        lab.call("halMemAgentOpen", OPENER, devid=1, flag=0)
        beside = [names.allocate(lab, 4096, OPENER, devid=device) for device in (0, 1)]
        host = lab.call("host.map", OPENER, size=4096).address

        def may_be_refused(dst, src, process=OPENER):
            found = rule(rule_id)
            values = dict(zip(names_of, (dst, 64, src, 64), strict=True))
            more = {"info": None} if "dst_size" in names_of else {}
            call = interfaces()[found.interface].parse(values | more)
            return found.function(call, lab.view(process))

        assert may_be_refused(theirs.address, beside[0])
        assert may_be_refused(beside[0], theirs.address)
        assert may_be_refused(theirs.address, theirs.address + 64)
        assert not may_be_refused(beside[0], beside[0] + 64)
        assert not may_be_refused(beside[1], theirs.address)
        assert not may_be_refused(theirs.address, host)
        assert not may_be_refused(host, theirs.address)
        own = names.allocate(lab, 4096, OWNER)
        assert not may_be_refused(owned.address, own, OWNER)
