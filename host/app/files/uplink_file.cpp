// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/uplink_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/app/files/text_file.hpp"
#include "host/base/json/json_text.hpp"

namespace mediarig::app {

std::filesystem::path uplink_file(const std::filesystem::path& store) {
    return store.parent_path() / "uplinks.json";
}

Result<std::vector<uplink::Ceiling>> load_ceilings(const std::filesystem::path& store) {
    const std::filesystem::path file = uplink_file(store);
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) return std::vector<uplink::Ceiling>{};
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto all = uplink::parse_ceilings(*text);
    if (!all)
        return fail(all.error().code,
                    fmt::format("{}: {}; correct it, or remove it", file.string(), all.error().detail));
    return all;
}

std::map<std::string, double> ceilings_of(const std::vector<uplink::Ceiling>& all, const std::string& machine) {
    std::map<std::string, double> found;
    for (const uplink::Ceiling& each : all)
        if (each.machine == machine) found[each.uplink] = each.bytes_per_second;
    return found;
}

Result<void> keep_ceilings(const std::filesystem::path& store, const std::string& machine,
                           const std::vector<uplink::MeasuredCeiling>& measured, store::TimePoint now) {
    auto all = load_ceilings(store);
    if (!all) return fail(all.error());
    std::vector<uplink::Ceiling> newer;
    for (const uplink::MeasuredCeiling& each : measured)
        newer.push_back({.machine = machine,
                         .uplink = each.uplink,
                         .bytes_per_second = std::round(each.bytes_per_second),
                         .media = each.media,
                         .measured_on = fmt::format("{:%Y-%m-%d}", std::chrono::floor<std::chrono::seconds>(now))});
    uplink::take_over(*all, newer);
    return write_text(uplink_file(store), codec::json_text(uplink::to_json(*all)) + '\n', Existing::known);
}

} // namespace mediarig::app
