// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resources/uplink/ceilings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"

namespace mediarig::uplink {
namespace {

using strict_json::Members;
using strict_json::Node;

constexpr std::size_t most_ceilings = 10'000;
constexpr std::size_t longest_text = 1'000;

std::string read_text(Members& members, std::string_view name) {
    const auto node = members.need(name, "add it");
    return node ? strict_json::read_line(*node, longest_text).value_or("") : std::string();
}

Ceiling read_entry(const Node& node) {
    Ceiling ceiling;
    Members members(node);
    if (!members.readable()) return ceiling;
    ceiling.machine = read_text(members, "machine");
    ceiling.uplink = read_text(members, "uplink");
    if (const auto rate = members.need("bytes_per_second", "add it")) {
        ceiling.bytes_per_second = strict_json::read_number(*rate).value_or(1);
        if (!(ceiling.bytes_per_second > 0)) rate->must_be("above 0");
    }
    if (const auto media = members.need("media", "add the number of measured media"))
        ceiling.media = static_cast<unsigned>(strict_json::read_count(*media, {2, 1'000}).value_or(2));
    ceiling.measured_on = read_text(members, "measured_on");
    members.refuse_unknown();
    return ceiling;
}

} // namespace

void take_over(std::vector<Ceiling>& all, const std::vector<Ceiling>& newer) {
    for (const Ceiling& each : newer) {
        std::erase_if(all,
                      [&](const Ceiling& old) { return old.machine == each.machine && old.uplink == each.uplink; });
        all.push_back(each);
    }
}

nlohmann::json to_json(const std::vector<Ceiling>& all) {
    nlohmann::json list = nlohmann::json::array();
    for (const Ceiling& each : all)
        list.push_back({{"machine", each.machine},
                        {"uplink", each.uplink},
                        {"bytes_per_second", each.bytes_per_second},
                        {"media", each.media},
                        {"measured_on", each.measured_on}});
    return {{"mediarig_uplinks", 1}, {"uplinks", std::move(list)}};
}

Result<std::vector<Ceiling>> parse_ceilings(std::string_view text) {
    std::vector<Ceiling> all;
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return all;
    strict_json::Faults faults;
    if (const auto tree = strict_json::read_source(text, faults)) {
        Members members({&*tree, "", &faults});
        if (const auto version = members.need("mediarig_uplinks", "use 1"))
            (void)strict_json::read_count(*version, {1, 1});
        if (const auto list = members.need("uplinks", "list the uplinks"))
            for (const Node& node : strict_json::read_list(*list, most_ceilings).value_or(std::vector<Node>{}))
                all.push_back(read_entry(node));
        members.refuse_unknown();
    }
    if (faults.count() > 0) return fail(Errc::bad_request, faults.take().front());
    return all;
}

} // namespace mediarig::uplink
