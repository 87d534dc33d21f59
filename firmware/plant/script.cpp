// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "firmware/plant/injection_text.hpp"

namespace mediarig::plant {

tl::expected<std::vector<TriggeredInjection>, std::string> read_script(std::string_view text, RigSize rig) {
    std::vector<TriggeredInjection> injections;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto words = words_of(line);
        if (words.empty() || words.front().front() == '#') continue;
        const auto injection = read_injection(line, rig);
        if (!injection) return tl::unexpected("line " + std::to_string(number) + ": " + injection.error());
        injections.push_back(*injection);
    }
    return injections;
}

} // namespace mediarig::plant
