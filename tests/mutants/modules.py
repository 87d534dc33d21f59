# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules whose tokens are changed, and the test programs (names without "test_") that ought to notice a change there."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Module:
    sources: list
    tests: list  # the quick ones first
    first: dict = field(default_factory=dict)  # by how the path begins: those that are asked before the others


MODULES = {
    "measure": Module(["host/measure"], ["measure", "comparison", "gage", "varint", "trial", "session", "report"],
                      {"host/measure/comparison": ["comparison"], "host/measure/gage": ["gage"]}),
    # Not agent_claim: a test of it wants to see all processes of the machine, and each trial has a namespace of its own.
    "media": Module(
        ["host/media"],
        ["media_identity", "media_inspect", "media_layouts", "media_expect", "media_hfsplus", "media_signatures",
         "media_usage", "media_format", "media_loop", "media_smart", "media_partition", "media_mount",
         "media_inspect_sectors", "media_inspect_reference", "media_profiles", "media_reader_registers", "media_settle",
         "media_discard", "media_scenarios"],
        {"host/media/inspect": ["media_inspect", "media_inspect_reference"],
         "host/media/format": ["media_layouts", "media_hfsplus", "media_format", "media_inspect_sectors", "media_profiles"],
         "host/media/expect": ["media_expect", "media_profiles"],
         "host/media/identity": ["media_identity", "media_smart", "media_scenarios"],
         "host/media/partition": ["media_inspect", "media_partition"],
         "host/media/mount": ["media_mount", "media_partition"],
         "host/media/settle": ["media_settle"], "host/media/discard": ["media_discard"],
         "host/media/linux": ["media_reader_registers", "media_identity", "media_loop", "media_usage", "media_signatures", "media_scenarios"],
         "host/media/image": ["media_loop", "media_usage"]}),
    "workload": Module(["host/workload"], ["workload", "workload_media", "workload_cards", "suites", "workload_reference", "workload_probe"],
                       {"host/workload/linux": ["workload_media"], "host/workload/files": ["workload_media"], "host/workload/verify": ["workload_media"],
                        "host/workload/work_folder": ["workload_media"], "host/workload/probe": ["workload_probe"]}),
    "session": Module(["host/session"], ["session", "rig_station"]),
    "store": Module(["host/store"], ["store", "session", "rig_station"]),
    "rig": Module(["host/rig"],
                  ["rig_config", "rig_text", "rig_nest", "rig_protocol", "rig_slots", "rig_manual", "rig_find", "rig_driver",
                   "rig_station", "rig_bank", "rig_supplies", "rig_detach", "rig_hub", "rig_hub_command", "rig_uhubctl_text",
                   "rig_plug", "rig_thunderbolt", "rig_conformance_posix", "rig_command"],
                  {"host/rig/station": ["rig_slots", "rig_station"], "host/rig/serial": ["rig_driver", "rig_find"],
                   "host/rig/config": ["rig_config"], "host/rig/text": ["rig_text"], "host/rig/nest": ["rig_nest"],
                   "host/rig/protocol": ["rig_protocol", "rig_driver"], "host/rig/manual": ["rig_manual"],
                   "host/rig/bank": ["rig_bank", "rig_supplies"], "host/rig/detach": ["rig_detach"],
                   "host/rig/hub": ["rig_uhubctl_text", "rig_hub", "rig_hub_command"], "host/rig/usb": ["rig_hub"],
                   "host/rig/plug": ["rig_plug"], "host/rig/thunderbolt": ["rig_thunderbolt"]}),
    "firmware": Module(["firmware/core"], ["firmware", "rigproto", "rig_scripts", "rig_conformance_posix"]),
}


def tests_of(module, path):
    """The module's test programs, those first that are most likely to notice a change of this file."""
    known = MODULES[module]
    first = [name for beginning, names in known.first.items() if path.as_posix().startswith(beginning) for name in names]
    return first + [name for name in known.tests if name not in first]
