// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any message on the topics of a plug, and any text as the option that names a plug.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/rig/power/plug/plug_messages.hpp"

using namespace mediarig::rig;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    if (const auto address = plug_address(text)) {
        const auto again = plug_address(address->text());
        if (!again || !(*again == *address)) std::abort();
    }
    static constexpr const char* topics[] = {
        "stat/desk/STATUS10",          "stat/desk/POWER", "tele/desk/SENSOR", "shellies/desk/relay/0",
        "shellies/desk/relay/0/power", "us/rpc"};
    for (const PlugKind kind : {PlugKind::tasmota, PlugKind::shelly1, PlugKind::shelly2}) {
        const PlugAddress plug{kind, "desk", "localhost", 1883};
        const PlugReport says = read_plug_message(plug, "us", topics[data[0] % 6], text);
        if (says.watts && !(*says.watts >= 0 && *says.watts <= 100'000)) std::abort();
    }
    return 0;
}
