// SPDX-License-Identifier: GPL-3.0-or-later
/// Configuration of a machine. Values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/lab/machine/slot.hpp"

namespace mediarig::lab {

using mediarig::name_of;

/// Output of `mediarig lab build`: a kernel and its root file system.
struct BootFiles {
    std::string kernel; ///< an ELF vmlinux that boots through PVH, or the program of user-mode Linux
    std::string initrd;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(Accelerator, std::uint8_t,
                              automatic, ///< KVM after a successful probe boot, else TCG
                              tcg,       ///< emulation; works everywhere
                              kvm        ///< no probe
)

/// About ten times the observed times of an idle machine without KVM.
struct MachineTimeouts {
    std::chrono::milliseconds boot = std::chrono::seconds(180);
    std::chrono::milliseconds appear = std::chrono::seconds(30); ///< time limit after plugging or inserting a medium
    std::chrono::milliseconds vanish = std::chrono::seconds(60); ///< time limit after unplugging or ejecting a medium
    std::chrono::milliseconds release = std::chrono::minutes(3); ///< time limit for the agent to clean up
    std::chrono::milliseconds quit = std::chrono::seconds(10);   ///< time limit before the process is killed
    std::chrono::milliseconds silence =
        std::chrono::seconds(120); ///< a machine whose guest and block layer are silent for this time is hung
    std::chrono::milliseconds command = std::chrono::seconds(30); ///< time limit for an answer of QEMU
};

struct MachineSpec {
    BootFiles image;
    std::vector<LabSlot> slots;
    std::optional<Bytes> uplink{}; ///< bytes per second, shared by the slots on the uplink; unset: no slot shares it
    Bytes memory = 512_MiB;
    std::uint32_t processors{2};
    Accelerator accelerator{Accelerator::automatic};
    /// Parent of the machine's private directory; empty: $XDG_RUNTIME_DIR, else /tmp. The path must be short because of
    /// the sockets.
    std::string directory;
    std::string qemu{"qemu-system-x86_64"}; ///< a name, or a path with a slash
    /// In virtual time: folder of the contents of cards. The guest mounts it.
    std::string media{};
    MachineTimeouts patience;
};

} // namespace mediarig::lab
