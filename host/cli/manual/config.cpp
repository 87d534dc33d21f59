// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"

namespace mediarig::config {
namespace {

using strict_json::Members;
using strict_json::Node;

std::optional<std::string> read_value(const Node& node, const KnownOption& option) {
    const nlohmann::json& value = *node.value;
    if (option.is_path && !value.is_string()) {
        node.must_be("an absolute path");
        return std::nullopt;
    }
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    if (!value.is_string()) {
        node.must_be("a string, a whole number, true or false, or a list of these");
        return std::nullopt;
    }
    auto text = strict_json::read_line(node, longest_value);
    if (!text) return std::nullopt;
    const bool may_be_path = option.is_path || (!option.is_text && text->find('/') != std::string::npos);
    if (may_be_path && !text->starts_with('/')) {
        node.must_be("an absolute path: a relative path depends on the current folder of the command");
        return std::nullopt;
    }
    return text;
}

std::optional<std::vector<std::string>> read_values(const Node& node, const KnownOption& option) {
    std::vector<std::string> values;
    if (!node.value->is_array()) {
        auto value = read_value(node, option);
        if (!value) return std::nullopt;
        values.push_back(std::move(*value));
        return values;
    }
    const auto list = strict_json::read_list(node, most_values);
    if (!list) return std::nullopt;
    if (list->empty()) node.must_be("a list of at least one value");
    for (const Node& each : *list)
        if (auto value = read_value(each, option)) values.push_back(std::move(*value));
    return values;
}

/// Reads the members of `node` that are options in `known`.
void read_options(const Node& node, const std::string& command, const std::vector<KnownOption>& known,
                  std::vector<Setting>& settings) {
    Members members(node);
    for (const KnownOption& option : known) {
        // Do not suggest options that have no default.
        if (!option.may_default && !(members.readable() && node.value->contains(option.name))) continue;
        const auto found = members.find(option.name);
        if (!found) continue;
        if (!option.may_default) {
            found->complain(
                option.name == "confirm"
                    ? "has no default: confirm each erasure on the command line"
                    : fmt::format("has no default: give --{} with each command that needs it", option.name));
            continue;
        }
        if (auto values = read_values(*found, option))
            settings.push_back({command, option.name, std::move(*values), found->pointer});
    }
    members.refuse_unknown();
}

/// The options of all commands, without duplicates.
std::vector<KnownOption> all_options(std::span<const KnownCommand> known) {
    std::vector<KnownOption> all;
    for (const KnownCommand& command : known)
        for (const KnownOption& option : command.options) {
            const auto same = std::ranges::find(all, option.name, &KnownOption::name);
            if (same == all.end())
                all.push_back(option);
            else
                same->may_default = same->may_default || option.may_default;
        }
    return all;
}

std::vector<Setting> read_config(const Node& root, std::span<const KnownCommand> known) {
    std::vector<Setting> settings;
    Members members(root);
    (void)members.find("$schema");
    if (const auto version = members.need("mediarig_config", "add it with the value 1"))
        (void)strict_json::read_count(*version, {1, 1});
    if (const auto options = members.find("options")) read_options(*options, "", all_options(known), settings);
    if (const auto commands = members.find("commands")) {
        Members named(*commands);
        for (const KnownCommand& command : known)
            if (const auto options = named.find(command.name))
                read_options(*options, command.name, command.options, settings);
        named.refuse_unknown();
    }
    members.refuse_unknown();
    return settings;
}

} // namespace

tl::expected<std::vector<Setting>, ConfigFaults> parse_config(std::string_view text,
                                                              std::span<const KnownCommand> known) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
    strict_json::Faults faults;
    std::vector<Setting> settings;
    if (const auto tree = strict_json::read_source(text, faults)) settings = read_config({&*tree, "", &faults}, known);
    if (faults.count() > 0) return tl::unexpected(ConfigFaults{faults.take()});
    return settings;
}

} // namespace mediarig::config
