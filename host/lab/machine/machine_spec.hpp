// SPDX-License-Identifier: GPL-3.0-or-later
/// What machine to start. Values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/lab/machine/slot.hpp"

namespace mediarig::lab {

/// What `mediarig lab build` made: a kernel that boots through PVH, and its root file system.
struct BootFiles {
    std::string kernel; ///< an ELF vmlinux
    std::string initrd;
};

enum class Accelerator : std::uint8_t {
    automatic, ///< KVM where a probe boot proves it, else TCG
    tcg,       ///< emulation, works everywhere
    kvm,       ///< without a probe
};
[[nodiscard]] std::string_view name_of(Accelerator accelerator);

/// About ten times what an idle machine without KVM was seen to need.
struct Patience {
    std::chrono::milliseconds boot = std::chrono::seconds(180);
    std::chrono::milliseconds appear = std::chrono::seconds(30);   ///< after plugging or inserting
    std::chrono::milliseconds vanish = std::chrono::seconds(60);   ///< after unplugging or ejecting
    std::chrono::milliseconds release = std::chrono::minutes(3);   ///< until the agent has put everything away
    std::chrono::milliseconds quit = std::chrono::seconds(10);     ///< before the process is killed
    std::chrono::milliseconds silence = std::chrono::seconds(120); ///< of guest and block layer together: hung
    std::chrono::milliseconds command = std::chrono::seconds(30);  ///< of QEMU itself
};

struct MachineSpec {
    BootFiles image;
    std::vector<Slot> slots;
    std::optional<Bytes> uplink{}; ///< a second, of all slots together that share it; unset: no slot does
    Bytes memory = 512_MiB;
    std::uint32_t processors{2};
    Accelerator accelerator{Accelerator::automatic};
    /// Where the machine's private directory is made; empty: $XDG_RUNTIME_DIR, else /tmp. Short, because the sockets
    /// are there.
    std::string directory;
    std::string qemu{"qemu-system-x86_64"}; ///< a name, or a path with a slash
    Patience patience;
};

} // namespace mediarig::lab
