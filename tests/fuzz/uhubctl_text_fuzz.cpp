// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as the output of uhubctl.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/rig/power/hub/uhubctl_text.hpp"

using namespace mediarig::rig;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto hubs = parse_uhubctl(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!hubs) {
        if (hubs.error().detail.find('\n') != std::string::npos) std::abort();
        return 0;
    }
    for (const PrintedHub& hub : *hubs) {
        if (hub.location.empty() || hub.location.size() > 64 || hub.printed.size() > 255) std::abort();
        for (const PrintedPort& port : hub.printed)
            if (port.number < 1 || port.number > 255) std::abort();
    }
    return 0;
}
