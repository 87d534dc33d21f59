# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules whose tokens are changed, and the test programs (names without "test_") that should detect a change."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Module:
    sources: list
    tests: list  # the fast ones first
    first: dict = field(default_factory=dict)  # by the beginning of the path: programs that run before the others


MODULES = {
    "measure": Module(["host/measure"], ["measure", "comparison", "comparison_campaign", "campaign", "report"],
                      {"host/measure/comparison": ["comparison"]}),
    # Not agent_real: one of its tests must see all processes of the machine, and each trial has a private namespace.
    "media": Module(
        ["host/media"],
        ["media", "media_inspect", "media_devices", "media_format", "media_inspect_reference", "media_scenarios"],
        {"host/media/inspect": ["media_inspect", "media_inspect_reference"],
         "host/media/format": ["media", "media_inspect", "media_format"],
         "host/media/conformance": ["media", "media_format"],
         "host/media/identity": ["media", "media_devices", "media_scenarios"],
         "host/media/format/partition": ["media_inspect", "media_devices"],
         "host/media/mount": ["media_devices"],
         "host/media/mount/idle": ["media"], "host/media/format/discard": ["media", "media_devices"],
         "host/media/claim/linux": ["media", "media_devices", "media_scenarios"],
         "host/media/claim/image": ["media", "media_devices"]}),
    "workload": Module(["host/workload"], ["workload", "workload_media", "workload_cards", "suites", "workload_reference", "workload_probe"],
                       {"host/workload/io/linux": ["workload_media"], "host/workload/files": ["workload_media"], "host/workload/verify": ["workload_media"],
                        "host/workload/work_folder": ["workload_media"], "host/workload/probe": ["workload_probe"]}),
    "campaign": Module(["host/campaign/run"], ["campaign", "rig"]),
    "store": Module(["host/store"], ["store", "campaign", "rig"]),
    "rig": Module(["host/rig"],
                  ["rig", "rig_udev", "rig_driver", "rig_conformance_posix", "rig_command"],
                  {"host/rig/serial": ["rig_driver", "rig_udev"], "host/rig/serial": ["rig", "rig_driver"],
                   "host/rig/power/hub": ["rig", "rig_udev", "rig_command"], "host/rig/power/hub": ["rig_udev"],
                   "host/rig/power/enclosure": ["rig_udev"]}),
    "firmware": Module(["firmware/core"], ["firmware", "rigproto", "rig_scripts", "rig_conformance_posix"]),
}


def tests_of(module, path):
    """The module's test programs, those first that most likely detect a change of this file."""
    known = MODULES[module]
    first = [name for beginning, names in known.first.items() if path.as_posix().startswith(beginning) for name in names]
    return first + [name for name in known.tests if name not in first]
