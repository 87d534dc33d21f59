// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/lines/message.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"
#include "host/measure/comparison/comparison.hpp"

namespace mediarig::measure::comparison {
namespace {

using strict_json::Faults;
using strict_json::Members;
using strict_json::Node;

constexpr std::size_t longest_name = 200;
constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> read_any(const Node& node) {
    return strict_json::read_count(node, {0, any_number});
}

std::optional<std::string> read_name(const Node& node) {
    return strict_json::read_line(node, longest_name);
}

std::optional<std::vector<std::string>> read_formats(const Node& node) {
    const auto list = strict_json::read_list(node, most_formats);
    if (!list) return std::nullopt;
    if (list->size() < 2) {
        node.complain("must name two formats or more: one alone cannot be compared");
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const Node& each : *list) {
        auto name = read_name(each);
        if (!name) return std::nullopt;
        if (std::find(names.begin(), names.end(), *name) != names.end()) {
            each.complain("is named twice: the comparison of a format with itself needs two names");
            return std::nullopt;
        }
        names.push_back(std::move(*name));
    }
    return names;
}

std::optional<std::optional<double>> read_rate(const Node& node) {
    if (node.value->is_null()) return std::optional<double>();
    const auto rate = strict_json::read_number(node);
    if (!rate) return std::nullopt;
    if (std::isfinite(*rate) && *rate > 0) return rate;
    node.must_be("above 0 and finite, or null for a pass without a rate");
    return std::nullopt;
}

Start read_start(Members& members) {
    Start start;
    strict_json::take(members, "start", start.trial, read_any);
    if (const auto formats = members.need("formats", "list the compared formats"))
        if (auto names = read_formats(*formats)) start.formats = std::move(*names);
    strict_json::take(members, "margin", start.terms.margin, strict_json::read_number);
    strict_json::take(members, "alpha", start.terms.alpha, strict_json::read_number);
    strict_json::take(members, "quantum", start.terms.quantum, strict_json::read_number);
    strict_json::take(members, "max_blocks", start.terms.budget, read_any);
    strict_json::take(members, "seed", start.seed, read_any);
    return start;
}

MeasuredPass read_pass(const Node& node) {
    MeasuredPass pass;
    Members members(node);
    if (!members.readable()) return pass;
    if (const auto format = members.need("format", "name the measured format"))
        pass.format = read_name(*format).value_or("");
    if (const auto rate = members.need("rate", "use null for a pass without a rate"))
        pass.rate = read_rate(*rate).value_or(std::nullopt);
    strict_json::take(members, "failed", pass.failed, strict_json::read_flag);
    members.refuse_unknown();
    if (pass.failed && pass.rate) node.complain("failed and has a rate: a failed pass has no rate");
    return pass;
}

MeasuredBlock read_block(Members& members) {
    MeasuredBlock block;
    strict_json::take(members, "block", block.block, read_any);
    if (const auto passes = members.need("passes", "list the measured passes in their order"))
        if (const auto list = strict_json::read_list(*passes, most_formats))
            for (const Node& each : *list) block.passes.push_back(read_pass(each));
    return block;
}

std::optional<Message> read_any_message(const Node& node) {
    Members members(node);
    if (!members.readable()) return std::nullopt;
    std::optional<Message> message;
    if (members.find("start")) {
        message = read_start(members);
    } else if (members.find("block")) {
        message = read_block(members);
    } else if (const auto end = members.find("end")) {
        if (strict_json::read_flag(*end) == false) end->must_be("true");
        message = End{};
    } else {
        node.complain("must have \"start\", \"block\" or \"end\"");
        return std::nullopt;
    }
    members.refuse_unknown();
    return message;
}

/// Each text here is one line, and the caller knows the line number. For a text that is not JSON, only the column gives
/// the position.
std::string place_in_line(const std::string& fault) {
    const auto at = fault.find(": line 1, column ");
    return at == std::string::npos ? fault : fault.substr(at + std::string_view(": line 1, ").size());
}

} // namespace

Result<Message> read_message(std::string_view line) {
    Faults faults;
    std::optional<Message> message;
    if (const auto tree = strict_json::read_source(line, faults))
        message = read_any_message({.value = &*tree, .pointer = "", .faults = &faults});
    if (faults.count() > 0) return fail(Errc::bad_request, place_in_line(faults.take().front()));
    if (const auto* start = std::get_if<Start>(&*message))
        if (auto sound = check(start->terms); !sound) return fail(sound.error());
    return std::move(*message);
}

} // namespace mediarig::measure::comparison
