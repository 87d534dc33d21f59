// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/nicknames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"
#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"

namespace mediarig {
namespace {

using strict_json::Members;
using strict_json::Node;

constexpr std::size_t longest_medium = 4095; ///< bytes; as the longest path
constexpr std::size_t most_nicknames = 10'000;

/// Reason why `name` is invalid; empty if it is valid.
std::string fault_in(std::string_view name) {
    if (name.empty()) return "is empty";
    if (name.size() > longest_nickname) return fmt::format("has more than {} bytes", longest_nickname);
    if (!is_printable(name)) return "has characters that cannot be shown";
    if (name.front() == '-') return "begins with \"-\", like an option";
    if (name.find('/') != std::string_view::npos) return "contains a slash, like a path";
    if (name.front() == ' ' || name.back() == ' ') return "begins or ends with a blank";
    if (name == "last" || name.find_first_not_of("0123456789") == std::string_view::npos)
        return "is reserved for campaigns";
    return {};
}

/// Reason why the reader of the file would refuse `medium`; empty if the reader would accept it.
std::string fault_in_medium(std::string_view medium) {
    if (medium.empty()) return "is empty";
    if (medium.size() > longest_medium) return fmt::format("has more than {} bytes", longest_medium);
    return is_printable(medium) ? "" : "has characters that cannot be shown";
}

void read_entry(const Node& node, Nicknames& names) {
    Members members(node);
    if (!members.readable()) return;
    std::string medium, name;
    if (const auto found = members.need("medium", "add the serial of the medium"))
        medium = strict_json::read_line(*found, longest_medium).value_or("");
    if (const auto found = members.need("name", "add the nickname"))
        name = strict_json::read_line(*found, longest_nickname).value_or("");
    members.refuse_unknown();
    if (medium.empty() || name.empty()) return;
    if (!names.of(medium).empty()) return node.complain("names a medium that already has a nickname");
    if (auto given = names.give(medium, name); !given) node.complain(given.error().detail);
}

} // namespace

std::string Nicknames::of(std::string_view medium) const {
    const auto found = std::ranges::find(all_, medium, &Nickname::medium);
    return found == all_.end() ? std::string() : found->name;
}

std::string Nicknames::medium_called(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &Nickname::name);
    return found == all_.end() ? std::string() : found->medium;
}

Result<void> Nicknames::give(const std::string& medium, const std::string& name) {
    if (const std::string fault = fault_in_medium(medium); !fault.empty())
        return fail(Errc::bad_request,
                    fmt::format("'{}' is not a serial: it {}; 'mediarig devices --json' shows those of "
                                "the media here",
                                printable(medium), fault));
    if (of(medium).empty() && all_.size() >= most_nicknames)
        return fail(
            Errc::bad_request,
            fmt::format("{} media have nicknames, and no more can be kept: remove some with 'mediarig names forget'",
                        most_nicknames));
    if (const std::string fault = fault_in(name); !fault.empty())
        return fail(Errc::bad_request, fmt::format("'{}' is not a nickname: it {}; choose another one", name, fault));
    const std::string other = medium_called(name);
    if (!other.empty() && other != medium)
        return fail(
            Errc::bad_request,
            fmt::format(
                "'{}' is the nickname of {} already: choose another one, or remove it with: mediarig names forget {}",
                name, other, shell_word(name)));
    std::erase_if(all_, [&](const Nickname& each) { return each.medium == medium; });
    all_.push_back({medium, name});
    return {};
}

Result<Nickname> Nicknames::forget(std::string_view word) {
    const auto found =
        std::ranges::find_if(all_, [&](const Nickname& each) { return each.name == word || each.medium == word; });
    if (found == all_.end())
        return fail(Errc::bad_request,
                    fmt::format("no medium has the nickname '{}': 'mediarig names' lists them", word));
    Nickname gone = std::move(*found);
    all_.erase(found);
    return gone;
}

nlohmann::json to_json(const Nicknames& names) {
    nlohmann::json list = nlohmann::json::array();
    for (const Nickname& each : names.all()) list.push_back({{"medium", each.medium}, {"name", each.name}});
    return {{"mediarig_names", 1}, {"names", std::move(list)}};
}

Result<Nicknames> parse_nicknames(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Nicknames();
    strict_json::Faults faults;
    Nicknames names;
    if (const auto tree = strict_json::read_source(text, faults)) {
        Members members({&*tree, "", &faults});
        if (const auto version = members.need("mediarig_names", "use 1"))
            (void)strict_json::read_count(*version, {1, 1});
        if (const auto list = members.find("names"))
            if (const auto entries = strict_json::read_list(*list, most_nicknames))
                for (const Node& entry : *entries) read_entry(entry, names);
        members.refuse_unknown();
    }
    if (faults.count() > 0) return fail(Errc::bad_request, faults.take().front());
    return names;
}

} // namespace mediarig
