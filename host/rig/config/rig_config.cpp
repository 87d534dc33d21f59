// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/config/rig_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "common/rigproto/config_rules.hpp"
#include "common/rigproto/simulated_rig.hpp"
#include "host/base/json/source.hpp"
#include "host/rig/port/rig_text.hpp"
#include "hw/parts.hpp"

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
    // Assume no nest: a card must never be pressed onto a nest that may not exist.
    rig.board.x_nest = rig.board.z_nest = 0;
    strict_json::Members members({&json, "", &faults});
    // Media that stay in their slots need no magazine.
    if (members.readable() && json.contains("slots")) rig.board.pockets = 0;
    if (!members.readable()) return rig;
    read_version(members, faults);
    take(members, "$schema", rig.name, [](const strict_json::Node& node) {
        // "$schema" is for editors and has no effect here.
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

namespace {

using strict_json::Members;
using strict_json::Node;
using strict_json::take;

/// The board counts in 32 bits; these limits keep the sums of the host in range.
constexpr std::uint64_t most_steps = 1'000'000;
constexpr std::uint64_t most_steps_per_second = 200'000;
constexpr std::uint64_t most_acceleration = 10'000'000;
/// The switch in front of a port may limit at this current already, so a higher trip current might never be reached.
constexpr std::uint64_t most_milliamperes = parts::limit_least_ma;
constexpr std::size_t longest_line = 200;

template <class Number>
auto number_in(std::uint64_t least, std::uint64_t most) {
    return [=](const Node& node) -> std::optional<Number> {
        const auto count = strict_json::read_count(node, {least, most});
        return count ? std::optional(static_cast<Number>(*count)) : std::nullopt;
    };
}

const auto position = number_in<std::int32_t>(0, most_steps);
const auto distance = number_in<std::int32_t>(1, most_steps);
const auto speed = number_in<std::int32_t>(1, most_steps_per_second);
const auto acceleration = number_in<std::int32_t>(1, most_acceleration);
const auto current = number_in<std::uint16_t>(1, most_milliamperes);

void within(strict_json::Faults& faults, std::string_view place, std::string_view what, std::int64_t at,
            std::int32_t travel) {
    if (at <= travel) return;
    faults.add(place, fmt::format("puts {} at {} steps, beyond the travel of {}", what, at, travel));
}

std::string told(const rigproto::CupPosition& place) {
    using Row = rigproto::CupPosition::Row;
    switch (place.row) {
        case Row::pocket:
            return fmt::format("pocket {}", place.number + 1);
        case Row::reader:
            return fmt::format("reader {}", place.number + 1);
        case Row::bin:
            return fmt::format("bin {}", name_of(static_cast<rigproto::Bin>(place.number)));
        case Row::nest:
            return "the nest";
    }
    return "a place";
}

/// The vacuum cup moves down at each position in the file: with overlapping positions it would hit a card or a live
/// reader.
void check_places(const rigproto::Config& board, strict_json::Faults& faults) {
    const auto close = rigproto::colliding_positions(board);
    if (!close) return;
    constexpr std::array sections{"/magazine", "/readers", "/bins", "/nest/x"};
    const auto& [one, other] = *close;
    faults.add(sections[static_cast<std::size_t>(other.row)],
               fmt::format(
                   "puts {} at {} steps, and {} is at {}: they must be {} steps apart (a comb tooth and its tolerance)",
                   told(other), other.x, told(one), one.x, rigproto::least_gap(board)));
}

} // namespace

void read_board(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "path", rig.path, strict_json::read_path);
    take(members, "serial", rig.board_serial, [](const Node& n) { return strict_json::read_line(n, longest_line); });
    take(members, "lease_ms", rig.lease, [](const Node& n) -> std::optional<std::chrono::milliseconds> {
        const auto count = strict_json::read_count(n, {1000, 5000});
        return count ? std::optional(std::chrono::milliseconds(*count)) : std::nullopt;
    });
    members.refuse_unknown();
}

void read_magazine(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "pockets", rig.board.pockets, number_in<std::uint8_t>(0, rigproto::max_pockets));
    take(members, "first", rig.board.x_first_pocket, position);
    take(members, "pitch", rig.board.x_pocket_pitch, distance);
    members.refuse_unknown();
}

void read_readers(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "count", rig.board.ports, number_in<std::uint8_t>(1, rigproto::port_count));
    take(members, "first", rig.board.x_first_port, position);
    take(members, "pitch", rig.board.x_port_pitch, distance);
    if (const auto usb = members.find("usb"))
        if (const auto list = strict_json::read_list(*usb, rigproto::port_count))
            for (const Node& entry : *list)
                rig.reader_paths.push_back(strict_json::read_line(entry, longest_line).value_or(""));
    members.refuse_unknown();
}

void read_bins(const Node& node, RigConfig& rig) {
    Members members(node);
    for (const auto& [bin, name] : enumerators<rigproto::Bin>)
        take(members, name, rig.board.x_bin[static_cast<std::size_t>(bin)], position);
    take(members, "used", rig.sorts_into_bins, strict_json::read_flag);
    members.refuse_unknown();
}

void read_x_axis(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "travel", rig.board.x_travel, distance);
    take(members, "speed", rig.board.x_speed, speed);
    take(members, "acceleration", rig.board.x_acceleration, acceleration);
    take(members, "comb", rig.board.x_comb, number_in<std::uint8_t>(1, 255));
    members.refuse_unknown();
}

void read_z_axis(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "travel", rig.board.z_travel, distance);
    take(members, "speed", rig.board.z_speed, speed);
    take(members, "acceleration", rig.board.z_acceleration, acceleration);
    take(members, "pocket", rig.board.z_pocket, distance);
    take(members, "reader", rig.board.z_port, distance);
    take(members, "bin", rig.board.z_bin, distance);
    take(members, "picked_mv", rig.board.vacuum_picked_mv, number_in<std::uint16_t>(1, 3300));
    members.refuse_unknown();
}

void read_homing(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "speed", rig.board.home_speed, speed);
    take(members, "tolerance", rig.board.home_tolerance, number_in<std::uint8_t>(1, 255));
    members.refuse_unknown();
}

void read_nest(const Node& node, RigConfig& rig) {
    Members members(node);
    const auto need = [&](std::string_view name, std::string_view what, std::int32_t& into, const auto& read) {
        if (const auto found = members.need(name, what)) into = read(*found).value_or(0);
    };
    need("x", "give the position of the nest, in steps from home", rig.board.x_nest, position);
    need("z", "give the depth at which a card touches the contacts", rig.board.z_nest, distance);
    members.refuse_unknown();
}

void read_power(const Node& node, RigConfig& rig) {
    Members members(node);
    take(members, "limit_ma", rig.board.port_limit_ma, current);
    take(members, "inrush_limit_ma", rig.board.inrush_limit_ma, current);
    take(members, "inrush_window_ms", rig.board.inrush_window_ms,
         number_in<std::uint16_t>(rigproto::min_inrush_window_ms, rigproto::max_inrush_window_ms));
    take(members, "trip_ma", rig.board.trip_ma, current);
    take(members, "idle_ma", rig.board.idle_ma, current);
    members.refuse_unknown();
}

void check_whole(const RigConfig& rig, strict_json::Faults& faults) {
    const rigproto::Config& b = rig.board;
    const std::int64_t last_pocket = b.x_first_pocket + std::int64_t{b.x_pocket_pitch} * (b.pockets - 1);
    const std::int64_t last_port = b.x_first_port + std::int64_t{b.x_port_pitch} * (b.ports - 1);
    if (b.pockets != 0) within(faults, "/magazine", fmt::format("pocket {}", b.pockets), last_pocket, b.x_travel);
    within(faults, "/readers", fmt::format("reader {}", b.ports), last_port, b.x_travel);
    within(faults, "/bins", "a bin", *std::max_element(b.x_bin.begin(), b.x_bin.end()), b.x_travel);
    within(faults, "/z/pocket", "the cup", b.z_pocket, b.z_travel);
    within(faults, "/z/reader", "the cup", b.z_port, b.z_travel);
    within(faults, "/z/bin", "the cup", b.z_bin, b.z_travel);
    within(faults, "/nest/x", "the nest", b.x_nest, b.x_travel);
    within(faults, "/nest/z", "the cup", b.z_nest, b.z_travel);
    if (b.x_comb <= b.home_tolerance)
        faults.add("/x/comb", fmt::format("is {}, not above the tolerance of {}: a missing tooth would not be detected",
                                          b.x_comb, b.home_tolerance));
    if (b.pockets != 0 && faults.count() == 0) check_places(b, faults);
    if (b.trip_ma < b.inrush_limit_ma)
        faults.add("/power/trip_ma", fmt::format("is {}, below the allowed inrush current ({}): every card would trip",
                                                 b.trip_ma, b.inrush_limit_ma));
    if (b.inrush_limit_ma < b.port_limit_ma)
        faults.add("/power/inrush_limit_ma",
                   fmt::format("is {}, below the limit after the inrush ({})", b.inrush_limit_ma, b.port_limit_ma));
    if (b.idle_ma >= b.port_limit_ma)
        faults.add("/power/idle_ma",
                   fmt::format("is {}, not below the limit of a working port ({})", b.idle_ma, b.port_limit_ma));
    if (!rig.slots.empty() && b.pockets != 0)
        faults.add("/slots", "are only for a rig without a carriage; remove them, or set /magazine/pockets to 0");
    for (std::size_t i = 0; i < rig.slots.size(); ++i)
        if (const auto* power = std::get_if<BoardPower>(&rig.slots[i].power); power && power->port.index >= b.ports)
            faults.add(fmt::format("/slots/{}/reader", i),
                       fmt::format("is {}, and the rig has {} readers", number_of(power->port), b.ports));
    if (rig.reader_paths.size() > b.ports)
        faults.add("/readers/usb", fmt::format("names {} readers, the rig has {}", rig.reader_paths.size(), b.ports));
    for (std::size_t i = 0; i < rig.reader_paths.size(); ++i)
        for (std::size_t earlier = 0; earlier < i; ++earlier)
            if (!rig.reader_paths[i].empty() && rig.reader_paths[i] == rig.reader_paths[earlier])
                faults.add(
                    fmt::format("/readers/usb/{}", i),
                    fmt::format("is already the path of reader {}; each reader has a different path", earlier + 1));
}

} // namespace mediarig::rig
