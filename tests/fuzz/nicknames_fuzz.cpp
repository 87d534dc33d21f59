// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as the file of nicknames. Accepted text survives a round trip and can be shown in one line.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/app/files/nicknames.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mediarig;
    const auto names = parse_nicknames({reinterpret_cast<const char*>(data), size});
    if (!names) {
        if (names.error().detail.empty() || names.error().detail.find('\n') != std::string::npos) std::abort();
        return 0;
    }
    for (const Nickname& each : names->all())
        if (names->of(each.medium) != each.name || each.name.find('\n') != std::string::npos) std::abort();
    if (parse_nicknames(to_json(*names).dump()) != *names) std::abort();
    return 0;
}
