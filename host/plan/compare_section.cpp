// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/base/json/reader.hpp"
#include "host/base/json/suggest.hpp"
#include "host/measure/comparison/comparison.hpp"
#include "host/measure/counterbalance.hpp"
#include "host/plan/format_change.hpp"
#include "host/plan/names.hpp"
#include "host/plan/sections.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::plan {
namespace {

using measure::comparison::fewest_blocks, measure::comparison::most_blocks, measure::comparison::most_headlines;
using nlohmann::json;

constexpr std::uint32_t default_blocks = 12;
constexpr std::size_t most_compared = measure::comparison::most_formats;
constexpr std::uint64_t longest_rest_s = 86'400;
constexpr int longest_by_default = 10;                     ///< default longest rest as a multiple of `rest`
constexpr double least_margin = 0.1, largest_margin = 100; ///< bounds of the margin, in per cent

/// MS-DOS starts the first partition at this sector. No memory unit of a card starts there.
constexpr std::uint64_t sector_63 = 63 * 512;

/// Returns a format as a JSON object, from either notation; nothing after a fault.
std::optional<json> format_object(const Node& node) {
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

/// Returns the change that moves the partition off the memory units of a card, without compensation inside the
/// partition.
json misaligned(const json& baseline) {
    json change{{"partition", {{"table", "mbr"}, {"start", sector_63}}}};
    // mkfs.exfat aligns FAT and clusters to the medium itself if it knows the partition start. For a profile, the
    // resulting format is known only with the medium; spec_for() then sets the boundary.
    const json named = baseline.value("fs", json());
    const auto* fs = named.get_ptr<const std::string*>();
    if (fs != nullptr && media::file_system_from(*fs) == media::FileSystem::exfat) change["boundary"] = 512U;
    return change;
}

/// Returns the deviation most similar to the word, in correct notation; empty if no deviation is similar.
std::string meant_by(const std::string& word) {
    if (media::file_system_from(word)) return "fs:" + word;
    constexpr std::array<std::string_view, 1> words{"misaligned"};
    return std::string(strict_json::nearest(word, words));
}

/// Returns the change that a deviation makes to its baseline, or nothing after a fault.
std::optional<json> change_of(const Node& node, const json& baseline) {
    if (node.value->is_object() && !node.value->empty()) return *node.value;
    if (node.value->is_string()) {
        const auto& text = node.value->get_ref<const std::string&>();
        if (text == "misaligned") return misaligned(baseline);
        const std::size_t colon = text.find(':');
        if (colon != std::string::npos && colon > 0 && colon + 1 < text.size())
            return nested(std::string_view(text).substr(0, colon), text.substr(colon + 1));
        if (const std::string meant = meant_by(text); !meant.empty()) {
            node.complain(fmt::format("is not a deviation; did you mean \"{}\"?", meant));
            return std::nullopt;
        }
    }
    node.must_be(
        "a deviation from the baseline, such as {\"cluster_size\": \"4KiB\"}, \"cluster_size:4KiB\", \"fs:hfs+\" or "
        "\"misaligned\"");
    return std::nullopt;
}

/// Returns nothing after a fault.
std::optional<FormatEntry> read_member(const Node& node, const json& object) {
    const std::size_t before = node.faults->count();
    if (object.contains("suites"))
        node.complain("has its own \"suites\"; a comparison measures the same suites in all formats");
    if (object.contains("name")) node.complain("has a \"name\"; a comparison names its formats by their deviations");
    FormatEntry format = read_format({&object, node.pointer, node.faults});
    if (format.keep) node.complain("\"keep\" formats nothing, so nothing can be compared with it");
    return node.faults->count() == before ? std::optional(std::move(format)) : std::nullopt;
}

/// True if the format equals the baseline changed by the word "misaligned".
bool is_misaligned(const FormatEntry& format, const json& baseline) {
    json object = baseline;
    object.merge_patch(misaligned(baseline));
    Faults none;
    return read_format({&object, "", &none}) == format;
}

/// Derives a name for keys of steps from a title: "cluster-size-4-KiB"; empty if it would be too long.
std::string name_from(const std::string& title) {
    constexpr std::size_t longest = 40;
    std::string name;
    for (const char c : title) {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+';
        if (kept)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return name.size() > longest ? "" : name;
}

void read_deviation(const Node& node, const json& baseline, Plan& plan) {
    const auto change = change_of(node, baseline);
    if (!change) return;
    json object = baseline;
    object.merge_patch(*change);
    auto format = read_member(node, object);
    if (!format) return;
    const auto same = std::find_if(plan.formats.begin(), plan.formats.end(), [&](FormatEntry each) {
        each.name.clear();
        return each == *format;
    });
    if (same == plan.formats.begin()) {
        node.complain("does not differ from the baseline");
    } else if (same != plan.formats.end()) {
        node.complain("is named already; name each deviation once");
    } else {
        const json differs = change_between(to_json(plan.formats.front()), to_json(*format));
        const std::string title = is_misaligned(*format, baseline) ? "misaligned" : text_of(differs);
        // A format that changes only the file system already has a name.
        if (differs.size() > 1 || !differs.contains("fs")) format->name = name_from(title);
        plan.compare->deviations.push_back(title);
        plan.formats.push_back(std::move(*format));
    }
}

void read_deviations(const Node& baseline, const Node& deviations, Plan& plan) {
    const auto list = read_list(deviations, most_compared - 1);
    if (list && list->empty()) deviations.complain("names no deviation; add at least one");
    const auto object = format_object(baseline);
    if (!object) return;
    auto format = read_member(baseline, *object);
    if (!format || !list) return;
    plan.formats.push_back(std::move(*format));
    for (const Node& deviation : *list) read_deviation(deviation, *object, plan);
}

void read_side_by_side(const Node& node, Plan& plan) {
    const auto list = read_list(node, most_compared);
    if (!list) return;
    if (list->size() < 2) return node.complain("names fewer than two formats; a comparison needs at least two");
    for (const Node& each : *list) {
        const auto object = format_object(each);
        auto format = object ? read_member(each, *object) : std::nullopt;
        if (!format) continue;
        if (std::find(plan.formats.begin(), plan.formats.end(), *format) != plan.formats.end())
            each.complain("is named already; a self-test compares a format with itself");
        plan.formats.push_back(std::move(*format));
    }
}

void read_self_test(const Node& node, Plan& plan) {
    plan.compare->self_test = true;
    const auto object = format_object(node);
    auto format = object ? read_member(node, *object) : std::nullopt;
    if (format) plan.formats = {*format, *format};
}

/// Exactly one of the three ways to specify the compared formats.
void read_compared(Members& members, const Node& whole, Plan& plan) {
    const auto formats = members.find("formats"), self_test = members.find("self_test");
    const auto baseline = members.find("baseline"), deviations = members.find("deviations");
    const int ways = (formats ? 1 : 0) + (self_test ? 1 : 0) + (baseline || deviations ? 1 : 0);
    if (ways != 1)
        return whole.complain(
            "must define the compared formats in one way: \"formats\", \"baseline\" with \"deviations\", or "
            "\"self_test\"");
    if (formats) return read_side_by_side(*formats, plan);
    if (self_test) return read_self_test(*self_test, plan);
    if (!baseline || !deviations)
        return whole.complain(baseline ? "has a \"baseline\" and no \"deviations\" from it"
                                       : "has \"deviations\" and no \"baseline\"");
    read_deviations(*baseline, *deviations, plan);
}

void read_blocks(const Node& node, Plan& plan) {
    if (node.value->is_string()) {
        constexpr std::array words{endless_word};
        plan.compare->endless = read_word(node, "budget", words).has_value();
        plan.repeats = most_compare_blocks;
        return;
    }
    Faults none; // discards the messages, which do not mention the other alternative
    if (const auto blocks = read_count({node.value, node.pointer, &none}, {fewest_blocks, most_blocks}))
        plan.repeats = static_cast<std::uint32_t>(*blocks);
    else
        node.must_be(fmt::format("a whole number from {} to {}, or \"{}\"", fewest_blocks, most_blocks, endless_word));
}

std::optional<double> read_margin(const Node& node) {
    const auto margin = read_number(node);
    if (!margin || (*margin >= least_margin && *margin <= largest_margin)) return margin;
    node.must_be(fmt::format("{} to {} per cent", least_margin, largest_margin));
    return std::nullopt;
}

std::vector<workload::Access> read_headlines(const Node& node, const std::vector<workload::Access>& measured) {
    std::vector<workload::Access> headlines;
    const auto list = read_list(node, most_headlines);
    if (!list) return headlines;
    if (list->empty()) node.complain("must not be empty; remove this member to use each measured operation");
    for (const Node& each : *list) {
        const auto access = read_choice<workload::Access>(each, "operation");
        if (!access) continue;
        if (std::find(measured.begin(), measured.end(), *access) == measured.end())
            each.complain("is not measured by a suite of this plan");
        else if (std::find(headlines.begin(), headlines.end(), *access) != headlines.end())
            each.complain("is named already");
        else
            headlines.push_back(*access);
    }
    return headlines;
}

/// One order of all formats; returns nothing after a fault.
std::optional<std::vector<std::size_t>> read_row(const Node& node, const std::vector<std::string>& names) {
    const auto list = read_list(node, most_compared);
    if (!list) return std::nullopt;
    std::vector<std::size_t> row;
    for (const Node& each : *list) {
        const auto found = each.value->is_string()
                               ? std::find(names.begin(), names.end(), each.value->get<std::string>())
                               : names.end();
        const auto format = static_cast<std::size_t>(found - names.begin());
        if (found != names.end() && std::find(row.begin(), row.end(), format) == row.end()) row.push_back(format);
    }
    if (row.size() == names.size() && list->size() == names.size()) return row;
    node.complain("must name each compared format once");
    return std::nullopt;
}

std::vector<std::vector<std::size_t>> read_orders(const Node& node, const Plan& plan) {
    std::vector<std::vector<std::size_t>> orders;
    const auto list = read_list(node, most_compare_blocks);
    if (!list) return orders;
    if (list->size() != plan.repeats)
        node.complain(
            fmt::format("define {} blocks, but the comparison has {}; remove this member to draw the orders at random",
                        list->size(), plan.repeats));
    const std::vector<std::string> names = format_names(plan);
    for (const Node& each : *list)
        if (auto row = read_row(each, names)) orders.push_back(std::move(*row));
    return orders;
}

} // namespace

void read_compare(const Node& node, Plan& plan) {
    Members members(node);
    if (!members.readable()) return;
    plan.compare = Compare{};
    plan.repeats = default_blocks;
    read_compared(members, node, plan);
    if (const auto blocks = members.find("blocks")) read_blocks(*blocks, plan);
    take(members, "margin_percent", plan.compare->margin_percent, read_margin);
    take(members, "rest_s", plan.compare->rest, [](const Node& rest) -> std::optional<std::chrono::seconds> {
        const auto seconds = read_count(rest, {0, longest_rest_s});
        return seconds ? std::optional(std::chrono::seconds(*seconds)) : std::nullopt;
    });
    plan.compare->longest_rest = longest_by_default * plan.compare->rest;
    take(members, "rest_at_most_s", plan.compare->longest_rest,
         [&](const Node& rest) -> std::optional<std::chrono::seconds> {
             const auto least = static_cast<std::uint64_t>(plan.compare->rest.count());
             const auto seconds = read_count(rest, {least, longest_rest_s});
             return seconds ? std::optional(std::chrono::seconds(*seconds)) : std::nullopt;
         });
    take(members, "discard", plan.compare->discard, read_flag);
    take(members, "fill", plan.compare->fill,
         [](const Node& fill) { return *fill.value == 0 ? std::optional(0_B) : read_size(fill); });
    for (const char* later : {"headlines", "orders"}) (void)members.find(later);
    members.refuse_unknown();
}

void complete_compare(const Node& node, Plan& plan) {
    Members members(node);
    const std::vector<workload::Access> measured = accesses_of(plan.suites);
    if (measured.empty()) return node.complain("compares suites that measure files, and this plan has no such suite");
    const bool any_raw = std::any_of(plan.suites.begin(), plan.suites.end(),
                                     [](const SuiteEntry& suite) { return suite.where == SuiteTarget::raw; });
    if (any_raw)
        return node.complain("compares formats, but a raw suite of this plan uses no format; remove the raw suite");
    const auto headlines = members.find("headlines"), orders = members.find("orders");
    plan.compare->headlines = headlines ? read_headlines(*headlines, measured) : measured;
    plan.compare->orders = orders
                               ? read_orders(*orders, plan)
                               : measure::random_orders(plan.formats.size(), plan.repeats, SplitMix(plan.order.seed));
}

std::vector<SuiteEntry> compare_suites(bool quick) {
    using enum workload::Access;
    suites::SuiteRequest sequential{.name = "quickbench", .accesses = {sequential_write, sequential_read}};
    sequential.blocks = {1_MiB};
    sequential.quick = quick;
    sequential.span = quick ? 16_MiB : 256_MiB;
    sequential.volume = quick ? 8_MiB : 128_MiB;
    sequential.time_limit = quick ? std::chrono::seconds(2) : std::chrono::seconds(10);
    suites::SuiteRequest random = sequential;
    random.accesses = {random_write, random_read};
    // 4 KiB is less than a flash page. 64 KiB is more than a flash page, so a card could write whole pages.
    random.blocks = {4_KiB, 64_KiB};
    random.volume = quick ? 2_MiB : 64_MiB;
    return {{.request = sequential}, {.request = random}};
}

std::vector<workload::Access> accesses_of(const std::vector<SuiteEntry>& suites) {
    std::vector<workload::Access> accesses;
    for (const SuiteEntry& suite : suites) {
        if (suite.where == SuiteTarget::raw) continue;
        const auto job = suites::expand(suite.request, strict_json::largest_size);
        const auto* sweep = job ? job->as<workload::SweepJob>() : nullptr;
        if (sweep == nullptr) continue;
        for (const workload::CellSpec& cell : sweep->cells)
            if (std::find(accesses.begin(), accesses.end(), cell.access) == accesses.end())
                accesses.push_back(cell.access);
    }
    return accesses;
}

} // namespace mediarig::plan
