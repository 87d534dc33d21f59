// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/measure/counterbalance.hpp"
#include "host/plan/price_change.hpp"
#include "host/plan/sections.hpp"
#include "host/strict_json/suggest.hpp"

namespace mediarig::plan {
namespace {

using nlohmann::json;

/// Where MS-DOS put the first partition: no unit of a card's memory begins there.
constexpr std::uint64_t sector_63 = 63 * 512;

/// A format as an object, whichever way it was written; nothing after a complaint.
std::optional<json> baseline_object(const Node& node) {
    if (node.value->is_string()) return json{{"fs", *node.value}};
    if (node.value->is_object()) return *node.value;
    node.must_be("a format");
    return std::nullopt;
}

/// "partition.start:32256" → {"partition": {"start": "32256"}}
json nested(std::string_view path, const std::string& value) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {{std::string(path), value}};
    return {{std::string(path.substr(0, dot)), nested(path.substr(dot + 1), value)}};
}

/// A partition that begins where no unit of a card's memory does, and within it nothing that makes up for it.
json misaligned(const json& baseline) {
    json change{{"partition", {{"table", "mbr"}, {"start", sector_63}}}};
    // mkfs.exfat aligns FAT and clusters by itself, to the medium where it learns of the partition. What a profile
    // makes is known with the medium: spec_for() sees to it then.
    const json named = baseline.value("fs", json());
    const auto* fs = named.get_ptr<const std::string*>();
    if (fs != nullptr && media::file_system_from(*fs) == media::FileSystem::exfat) change["boundary"] = 512U;
    return change;
}

/// A deviation's change of its baseline; nothing after a complaint.
std::optional<json> change_of(const Node& node, const json& baseline) {
    if (node.value->is_object() && !node.value->empty()) return *node.value;
    if (node.value->is_string()) {
        const auto& text = node.value->get_ref<const std::string&>();
        if (text == "misaligned") return misaligned(baseline);
        const std::size_t colon = text.find(':');
        if (colon != std::string::npos && colon > 0 && colon + 1 < text.size())
            return nested(std::string_view(text).substr(0, colon), text.substr(colon + 1));
    }
    node.must_be(
        "what differs from the baseline, such as {\"cluster_size\": \"4KiB\"}, \"cluster_size:4KiB\", "
        "\"fs:hfs+\" or \"misaligned\"");
    return std::nullopt;
}

/// Nothing after a complaint.
std::optional<FormatEntry> read_member(const Node& node, const json& object) {
    const std::size_t before = node.faults->count();
    if (object.contains("suites")) node.complain("has \"suites\" of its own; a price compares the same suites");
    if (object.contains("name")) node.complain("has a \"name\"; a price calls its formats by what differs");
    FormatEntry format = read_format({&object, node.pointer, node.faults});
    if (format.keep) node.complain("\"keep\" formats nothing, so nothing can be compared with it");
    return node.faults->count() == before ? std::optional(std::move(format)) : std::nullopt;
}

void read_deviation(const Node& node, const json& baseline, Plan& plan) {
    const auto change = change_of(node, baseline);
    if (!change) return;
    json object = baseline;
    object.merge_patch(*change);
    auto format = read_member(node, object);
    if (!format) return;
    const auto same = std::find(plan.formats.begin(), plan.formats.end(), *format);
    if (same == plan.formats.begin()) {
        node.complain("differs in nothing from the baseline");
    } else if (same != plan.formats.end()) {
        node.complain("is named already; name each deviation once");
    } else {
        const json of = to_json(plan.formats.front());
        plan.price->deviations.push_back(text_of(change_between(of, to_json(*format))));
        plan.formats.push_back(std::move(*format));
    }
}

} // namespace

void read_price(const Node& node, Plan& plan) {
    Members members(node);
    if (!members.readable()) return;
    const auto baseline = members.need("baseline", "say which format the others are compared with");
    const auto deviations = members.need("deviations", "say what is tried instead");
    members.refuse_unknown();
    if (!baseline || !deviations) return;
    const auto list = read_list(*deviations, most_formats - 1);
    if (list && list->empty()) deviations->complain("names no deviation; add at least one");
    const auto object = baseline_object(*baseline);
    if (!object) return;
    auto format = read_member(*baseline, *object);
    if (!format || !list) return;
    plan.price = Price{};
    plan.formats.push_back(std::move(*format));
    for (const Node& deviation : *list) read_deviation(deviation, *object, plan);
}

std::uint32_t default_price_repeats(std::size_t formats) {
    constexpr std::size_t least = 6;
    const std::size_t cycle = measure::rows_of_full_cycle(formats);
    return static_cast<std::uint32_t>((least + cycle - 1) / cycle * cycle);
}

std::vector<SuiteEntry> price_suites(bool quick) {
    using enum workload::Access;
    suites::SuiteRequest sequential{.name = "quickbench", .accesses = {sequential_write, sequential_read}};
    sequential.blocks = {1_MiB};
    sequential.span = quick ? 16_MiB : 256_MiB;
    sequential.volume = quick ? 8_MiB : 128_MiB;
    sequential.time_limit = quick ? std::chrono::seconds(2) : std::chrono::seconds(10);
    suites::SuiteRequest random = sequential;
    random.accesses = {random_write, random_read};
    // 4 KiB: less than a page of flash holds. 64 KiB: more than one, so that whole ones could be written.
    random.blocks = {4_KiB, 64_KiB};
    random.volume = quick ? 2_MiB : 64_MiB;
    return {{.request = sequential}, {.request = random}};
}

} // namespace mediarig::plan
