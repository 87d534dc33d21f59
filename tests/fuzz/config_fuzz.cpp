// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as a configuration file. Each fault is reported in one line with its position, and no text gives a
/// confirmation.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/cli/manual/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mediarig::config;
    static const std::vector<KnownCommand> known{
        {"bench", {{.name = "store", .may_default = true, .is_path = true}, {.name = "confirm"}}},
        {"lab start", {{.name = "slots", .may_default = true}, {.name = "idle", .may_default = true}}}};
    const auto settings = parse_config({reinterpret_cast<const char*>(data), size}, known);
    if (!settings) {
        if (settings.error().lines.empty()) std::abort();
        for (const std::string& line : settings.error().lines)
            if (line.find('\n') != std::string::npos || !line.starts_with('/')) std::abort();
        return 0;
    }
    for (const Setting& setting : *settings) {
        if (setting.values.empty() || setting.option == "confirm") std::abort();
        for (const std::string& value : setting.values)
            if (value.find('\n') != std::string::npos || (setting.option == "store" && !value.starts_with('/')))
                std::abort();
    }
    return 0;
}
