// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes any lines to a comparison. Each fault is reported in one line, and each answer is valid JSON. A decision does
/// not change until the next start.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/measure/comparison/lines/dialog.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mediarig::measure::comparison;
    std::string_view text(reinterpret_cast<const char*>(data), size);
    Dialog dialog;
    std::string decided;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const auto answer = dialog.answer(line);
        if (!answer) {
            if (answer.error().detail.find('\n') != std::string::npos) std::abort();
            continue;
        }
        if (!*answer) continue;
        const std::string said = (*answer)->dump(); // throws if it is not UTF-8
        if ((*answer)->contains("orders")) {
            decided.clear();
        } else if (!decided.empty()) {
            if (said != decided) std::abort();
        } else if (said != R"({"decision":"continue"})") {
            decided = said;
        }
    }
    return 0;
}
