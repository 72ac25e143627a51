"""The whole state, with one and with two processes."""

from __future__ import annotations

from halcert.model.concrete import World
from halcert.model.concrete.rope import first_mismatch
from halcert.model.concrete.world import HOST_TABLES
from halcert.spec.state import USER, Block, Hardware


def block(base, memory):
    columns = dict.fromkeys(Block.__struct_fields__, 0)
    return Block(**{**columns, "base": base, "size": 64, "extent": 64, "memory": memory})


def with_block(view, base):
    memory = view.contents.fresh()
    return view.but(
        blocks=view.blocks.insert(block(base, memory).but(kind=USER)),
        contents=view.contents.create().fill(memory, 0, 64, 7),
    )


def test_at_the_start_devices_are_present_and_closed_and_nothing_lives():
    view = World.start((3, 1)).views[0]
    assert [device.id for device in view.devices] == [1, 3]
    assert [each.id for each in view.hardware] == [1, 3]
    assert not view.devices.any(lambda device: device.open or device.ever)
    assert len(view.blocks) == len(view.copies) == len(view.descriptors) == 0


def test_what_one_process_allocates_is_its_own():
    world = World.start((0,), pids=(1001, 1002))
    after = world.after(0, with_block(world.views[0], 4096))
    assert len(after.views[0].blocks) == 1
    assert len(after.views[1].blocks) == 0


def test_opening_a_device_in_one_process_leaves_it_closed_in_the_other():
    world = World.start((0,), pids=(1001, 1002))
    view = world.views[1]
    opened = view.devices.put(view.devices.at(0).but(open=True, ever=True))
    after = world.after(1, view.but(devices=opened))
    assert after.views[1].devices.at(0).open
    assert not after.views[0].devices.at(0).open


def test_tables_of_the_host_and_the_bytes_are_shared():
    assert "hardware" in HOST_TABLES
    assert "blocks" not in HOST_TABLES
    world = World.start((0,), pids=(1001, 1002))
    view = with_block(world.views[0], 4096)
    after = world.after(0, view.but(hardware=view.hardware.put(Hardware(9))))
    assert after.views[1].hardware.at(9).exists
    assert first_mismatch(after.views[1].contents.rope(1), 0, b"\x07") is None
    assert first_mismatch(after.views[1].contents.rope(1), 0, b"\x08") is not None


def test_objects_made_by_two_processes_never_share_a_name():
    world = World.start((0,), pids=(1001, 1002))
    world = world.after(0, with_block(world.views[0], 4096))
    world = world.after(1, with_block(world.views[1], 4096))
    names = [world.views[process].blocks.at(4096).memory for process in (0, 1)]
    assert len(set(names)) == 2


def test_the_old_world_stays_as_it_was():
    world = World.start((0,), pids=(1001, 1002))
    after = world.after(0, with_block(world.views[0], 4096))
    assert len(world.views[0].blocks) == 0
    assert world.views[1].contents.fresh() == 1
    assert after.views[1].contents.fresh() == 2


def test_a_view_that_has_not_changed_gives_the_same_world():
    world = World.start((0,))
    assert world.after(0, world.views[0]) is world
