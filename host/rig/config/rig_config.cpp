// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/config/rig_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "common/rigproto/simulated_rig.hpp"
#include "host/rig/config/sections.hpp"
#include "host/strict_json/source.hpp"

namespace mediarig::rig {
namespace {

constexpr std::uint64_t known_version = 1;
constexpr std::size_t shown_faults = 3;

void read_version(strict_json::Members& members, strict_json::Faults& faults) {
    const auto version = members.need("mediarig_rig", "add \"mediarig_rig\": 1, the version of this kind of file");
    if (!version) return;
    if (const auto number = strict_json::read_count(*version, {0, ~std::uint64_t{0}});
        number && *number != known_version)
        faults.add(version->pointer, fmt::format("is {}, and this mediarig reads version {}", *number, known_version));
}

RigConfig read_whole(const nlohmann::json& json, strict_json::Faults& faults) {
    RigConfig rig = default_rig();
    // Nobody presses a card onto what may not be there.
    rig.board.x_nest = rig.board.z_nest = 0;
    strict_json::Members members({&json, "", &faults});
    // Media that stay in their slots need no magazine.
    if (members.readable() && json.contains("slots")) rig.board.pockets = 0;
    if (!members.readable()) return rig;
    read_version(members, faults);
    take(members, "$schema", rig.name, [](const strict_json::Node& node) {
        // Editors look for it; nothing here depends on it.
        if (!node.value->is_string()) node.must_be("text");
        return std::optional<std::string>{};
    });
    take(members, "name", rig.name, [](const strict_json::Node& node) { return strict_json::read_line(node, 200); });
    using Section = void (*)(const strict_json::Node&, RigConfig&);
    constexpr std::array<std::pair<std::string_view, Section>, 10> sections{{{"board", read_board},
                                                                             {"magazine", read_magazine},
                                                                             {"readers", read_readers},
                                                                             {"bins", read_bins},
                                                                             {"x", read_x_axis},
                                                                             {"z", read_z_axis},
                                                                             {"homing", read_homing},
                                                                             {"nest", read_nest},
                                                                             {"power", read_power},
                                                                             {"slots", read_slots}}};
    for (const auto& [name, read] : sections)
        if (const auto node = members.find(name)) read(*node, rig);
    members.refuse_unknown();
    if (faults.count() == 0) check_whole(rig, faults);
    if (rig.board.pockets == 0 && rig.slots.empty()) rig.slots = slots_of_readers(rig);
    return rig;
}

} // namespace

RigConfig default_rig() {
    RigConfig rig;
    rig.board = rigproto::simulated_rig();
    return rig;
}

tl::expected<RigConfig, std::vector<std::string>> parse_rig(std::string_view text) {
    strict_json::Faults faults;
    const auto json = strict_json::read_source(text, faults);
    RigConfig rig;
    if (json) rig = read_whole(*json, faults);
    if (faults.count() > 0) return tl::unexpected(faults.take());
    return rig;
}

Result<RigConfig> read_rig(const std::filesystem::path& file) {
    const auto text = strict_json::read_file(file);
    if (!text) return fail(text.error().code, "the rig file " + text.error().detail);
    auto rig = parse_rig(*text);
    if (rig) return std::move(*rig);
    const auto& faults = rig.error();
    const auto shown = std::min(faults.size(), shown_faults);
    auto line = fmt::format("{}: {}", file.string(),
                            fmt::join(faults.begin(), faults.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
    if (faults.size() > shown) line += fmt::format("; and {} more", faults.size() - shown);
    return fail(Errc::bad_request, line);
}

} // namespace mediarig::rig
