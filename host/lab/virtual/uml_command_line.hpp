// SPDX-License-Identifier: GPL-3.0-or-later
/// Arguments of the kernel of user-mode Linux. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"

namespace mediarig::lab {

/// Lines of the guest, in the order of its serial ports ("/dev/ttyS0" …) and of the inherited descriptors from 3.
enum class GuestPort : std::uint8_t { agent, cards, shell };
inline constexpr std::size_t guest_ports = 3;
/// Id of the line that the guest writes to its shell port after it has opened its lines; see virtual_init_script().
inline constexpr std::string_view boot_answer = "ready";

/// Files of one machine, all in its private directory.
struct UmlFiles {
    std::string directory;
    [[nodiscard]] std::string time() const { return directory + "/time"; }
    [[nodiscard]] std::string agent() const { return directory + "/agent"; }
    [[nodiscard]] std::string shell() const { return directory + "/diag"; }
    [[nodiscard]] std::string console() const { return directory + "/console.log"; }
};

struct UmlSetting {
    Bytes memory;
    std::string initrd;
    std::string media; ///< folder that the guest mounts as /media; without a comma
};

/// Returns the arguments without the program name.
[[nodiscard]] std::vector<std::string> uml_command_line(const UmlSetting& setting, const UmlFiles& files);

} // namespace mediarig::lab
