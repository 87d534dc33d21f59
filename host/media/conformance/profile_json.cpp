// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"
#include "host/media/conformance/profile.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;
using strict_json::Members;
using strict_json::Node;

constexpr std::uint64_t known_version = 1;
constexpr std::size_t most_entries = 4096; ///< limit for the volumes, and for the values of one volume
constexpr std::array<std::string_view, 4> schemes{"none", "mbr", "gpt", "apm"};

/// Accepts any string, also an empty string and characters that a line of text may not contain, because labels on media
/// contain such characters.
std::optional<std::string> read_text(const Node& node) {
    if (node.value->is_string()) return node.value->get<std::string>();
    node.must_be("text");
    return std::nullopt;
}

RequiredValue read_expected(const Node& node) {
    Members members(node);
    RequiredValue expected;
    if (const auto name = members.need("name", "name the parameter as `mediarig inspect` shows it"))
        if (auto text = read_text(*name)) expected.name = std::move(*text);
    if (const auto value = members.need("value", "give the expected value as a string"))
        if (auto text = read_text(*value)) expected.value = std::move(*text);
    take(members, "severity", expected.severity,
         [](const Node& severity) { return strict_json::read_choice<DeviationSeverity>(severity, "severity"); });
    members.refuse_unknown();
    return expected;
}

std::vector<RequiredValue> read_volume(const Node& node) {
    std::vector<RequiredValue> volume;
    for (const Node& entry : strict_json::read_list(node, most_entries).value_or(std::vector<Node>{})) {
        RequiredValue expected = read_expected(entry);
        if (std::ranges::find(volume, expected.name, &RequiredValue::name) != volume.end())
            entry.complain(fmt::format("\"{}\" is expected twice; keep one", strict_json::excerpt(expected.name)));
        volume.push_back(std::move(expected));
    }
    return volume;
}

std::optional<std::vector<std::vector<RequiredValue>>> read_volumes(const Node& node) {
    const auto list = strict_json::read_list(node, most_entries);
    if (!list) return std::nullopt;
    std::vector<std::vector<RequiredValue>> volumes;
    for (const Node& volume : *list) volumes.push_back(read_volume(volume));
    return volumes;
}

void read_version(Members& members) {
    const auto version = members.need("mediarig_profile", "a profile begins with \"mediarig_profile\": 1");
    if (!version) return;
    if (const auto number = strict_json::read_count(*version, {0, ~std::uint64_t{0}});
        number && *number != known_version)
        version->complain(fmt::format("is {}, and this mediarig reads version {}", *number, known_version));
}

Profile read_profile(const Node& node) {
    Members members(node);
    Profile profile;
    read_version(members);
    // This member is for editors only and has no effect.
    std::string schema;
    take(members, "$schema", schema, read_text);
    if (const auto name = members.need("name", "give the name of the profile"))
        if (auto text = read_text(*name)) profile.name = std::move(*text);
    take(members, "size", profile.size, [](const Node& size) {
        const auto count = strict_json::read_count(size, {0, ~std::uint64_t{0}});
        return count ? std::optional<Bytes>(Bytes{*count}) : std::nullopt;
    });
    if (const auto scheme = members.need("scheme", "use \"none\", \"mbr\" or \"gpt\""))
        if (const auto index = strict_json::read_word(*scheme, "partition table", schemes))
            profile.scheme = schemes.at(*index);
    take(members, "volumes", profile.volumes, read_volumes);
    members.refuse_unknown();
    return profile;
}

} // namespace

json to_json(const Profile& profile) {
    json object{{"mediarig_profile", known_version}, {"name", profile.name}, {"scheme", profile.scheme}};
    if (profile.size) object["size"] = profile.size->count;
    if (!profile.volumes) return object;
    object["volumes"] = json::array();
    for (const auto& volume : *profile.volumes) {
        json values = json::array();
        for (const RequiredValue& expected : volume)
            values.push_back(
                {{"name", expected.name}, {"value", expected.value}, {"severity", name_of(expected.severity)}});
        object["volumes"].push_back(std::move(values));
    }
    return object;
}

Result<Profile> profile_from_json(std::string_view text) {
    strict_json::Faults faults;
    Profile profile;
    if (const auto tree = strict_json::read_source(text, faults)) profile = read_profile({&*tree, "", &faults});
    const std::size_t count = faults.count();
    if (count == 0) return profile;
    return fail(Errc::bad_request,
                faults.take().front() + (count > 1 ? fmt::format("; and {} more faults", count - 1) : ""));
}

} // namespace mediarig::media
