// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/uhubctl_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace mediarig::rig {
namespace {

constexpr std::size_t longest_location = 64; // characters; a path of 8 levels needs 40
constexpr std::size_t most_hubs = 512;       // twice the limit of uhubctl, which prints hubs before and after switching
constexpr unsigned highest_port = 255;

template <class Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return number;
}

/// Returns the text before `mark` and removes both from `text`. Returns the whole rest if the mark is missing.
std::string_view take_until(std::string_view& text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
    return taken;
}

bool is_location(std::string_view text) {
    return !text.empty() && text.size() <= longest_location &&
           text.find_first_not_of("0123456789-.") == std::string_view::npos;
}

/// "05e3:0617, USB 2.10, 4 ports, ppps": the properties of the hub are at the end.
void read_description(std::string_view description, PrintedHub& hub) {
    const auto last_part = [&description]() {
        const std::size_t comma = description.rfind(", ");
        if (comma == std::string_view::npos) return std::string_view();
        const std::string_view part = description.substr(comma + 2);
        description = description.substr(0, comma);
        return part;
    };
    const std::string_view switching = last_part();
    if (switching == "ppps") hub.switching = PortSwitching::individual;
    if (switching == "ganged") hub.switching = PortSwitching::ganged;
    if (switching == "nops") hub.switching = PortSwitching::none;
    std::string_view ports = last_part();
    if (!ports.ends_with(" ports")) return;
    ports.remove_suffix(6);
    hub.ports = number_in<std::uint8_t>(ports).value_or(0);
}

/// "1-1.4 [05e3:0617, USB 2.10, 4 ports, ppps]"
std::optional<PrintedHub> hub_in(std::string_view line, bool after) {
    const std::string_view location = take_until(line, " [");
    if (!is_location(location) || !line.ends_with(']')) return std::nullopt;
    PrintedHub hub{.location = std::string(location), .after = after, .ports = {}, .switching = {}, .printed = {}};
    hub.switching = PortSwitching::unknown;
    line.remove_suffix(1);
    read_description(line, hub);
    return hub;
}

/// "1: 0503 power highspeed enable connect [05e3:0749]"
std::optional<PrintedPort> port_in(std::string_view line) {
    const auto number = number_in<unsigned>(take_until(line, ": "));
    if (!number || *number < 1 || *number > highest_port) return std::nullopt;
    // The text in brackets belongs to the device.
    std::string_view words = take_until(line, " [");
    const std::string_view digits = take_until(words, " ");
    const auto status = number_in<std::uint16_t>(digits, 16);
    if (!status || digits.size() != 4) return std::nullopt;
    PrintedPort port{.number = *number, .status = *status, .powered = {}, .connected = {}, .over_current = {}};
    while (!words.empty()) {
        const std::string_view word = take_until(words, " ");
        if (word == "power") port.powered = true;
        if (word == "connect") port.connected = true;
        if (word == "oc") port.over_current = true;
    }
    return port;
}

} // namespace

Result<std::vector<PrintedHub>> parse_uhubctl(std::string_view text) {
    constexpr std::string_view before = "Current status for hub ", after = "New status for hub ", port = "  Port ";
    std::vector<PrintedHub> hubs;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = take_until(text, "\n");
        const auto broken = [number, line](std::string_view what) {
            return fail(Errc::bad_format,
                        fmt::format("uhubctl, line {}: {}: \"{}\"", number, what, line.substr(0, 60)));
        };
        if (line.starts_with(before) || line.starts_with(after)) {
            const bool is_after = line.starts_with(after);
            auto hub = hub_in(line.substr(is_after ? after.size() : before.size()), is_after);
            if (!hub) return broken("no status of a hub");
            if (hubs.size() == most_hubs) return broken("more hubs than a machine has");
            hubs.push_back(std::move(*hub));
        } else if (line.starts_with(port)) {
            const auto printed = port_in(line.substr(port.size()));
            if (!printed) return broken("no status of a port");
            if (hubs.empty()) return broken("a port of no hub");
            if (hubs.back().printed.size() == highest_port) return broken("more ports than a hub has");
            hubs.back().printed.push_back(*printed);
        }
    }
    return hubs;
}

} // namespace mediarig::rig
