// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/finder.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace mediarig::media {

nlohmann::json to_json(const Deviation& deviation) {
    return {{"severity", name_of(deviation.severity)},
            {"subject", deviation.subject},
            {"name", deviation.name},
            {"found", deviation.found},
            {"expected", deviation.expected},
            {"reason", deviation.reason},
            {"source", deviation.source},
            {"certainty", name_of(deviation.certainty)}};
}

namespace detail {

std::optional<std::uint64_t> number(const InspectedVolume& volume, std::string_view name) {
    const auto text = parameter(volume, name);
    if (!text) return std::nullopt;
    std::uint64_t value{};
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (failed != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return value;
}

std::string bytes_text(Bytes bytes) {
    if (bytes.count != 0 && bytes % 1_MiB == 0_B) return fmt::format("{} ({} MiB)", bytes.count, bytes / 1_MiB);
    if (bytes.count != 0 && bytes % 1_KiB == 0_B) return fmt::format("{} ({} KiB)", bytes.count, bytes / 1_KiB);
    return std::to_string(bytes.count);
}

} // namespace detail
} // namespace mediarig::media
