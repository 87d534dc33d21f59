// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as a configuration. An invalid one is refused in one line with its position, and a valid one gives
/// valid times.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/lab/card/config.hpp"
#include "host/lab/card/control.hpp"
#include "host/lab/card/timing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mediarig;
    using namespace mediarig::lab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // Runs the same parsers with other members.
    if (const auto command = parse_command(text))
        if (const auto again = parse_command(command_line(*command)); !again || again->index() != command->index())
            std::abort();
    const auto config = parse_card_config(text);
    if (!config) {
        const std::string& detail = config.error().detail;
        if (detail.find('\n') != std::string::npos || !detail.starts_with("card model: /")) std::abort();
        return 0;
    }
    Timing timing(*config);
    Moment now{};
    const std::uint64_t end = config->claimed.count;
    const Bytes part{std::min<std::uint64_t>(end, 1U << 20U)};
    for (const std::uint64_t offset : {std::uint64_t{0}, end - part.count, std::uint64_t{0}})
        for (const auto kind : {Timing::Transfer::read, Timing::Transfer::write}) {
            const auto took = timing.transfer(kind, offset, part, now);
            if (took.count() < 0) std::abort();
            now += 2 * took;
        }
    return 0;
}
