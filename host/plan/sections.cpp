// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/json/reader.hpp"
#include "host/media/identity/medium.hpp"
#include "host/plan/check_whole.hpp"
#include "host/plan/names.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::plan {
namespace {

using workload::Access, workload::OnIoError, workload::Payload, workload::PayloadKind, workload::SyncLevel;

constexpr std::size_t most_block_sizes = 64, most_tables = 16, most_accesses = 4, most_options = 16;

std::optional<std::uint64_t> read_seed(const Node& node) {
    return read_count(node, {0, ~std::uint64_t{0}});
}

/// Reads a list with at least one element; omits invalid elements.
template <class Value, class Read>
void take_list(Members& members, std::string_view name, std::size_t most, std::vector<Value>& out, Read read) {
    const auto node = members.find(name);
    if (!node) return;
    const auto list = read_list(*node, most);
    if (!list) return;
    if (list->empty()) node->complain("must not be empty; remove this member to use the suite's values");
    for (const Node& entry : *list)
        if (auto value = read(entry)) out.push_back(std::move(*value));
}

std::optional<Payload> read_payload(const Node& node) {
    Members members(node);
    Payload payload;
    const auto kind = members.need(
        "kind", "use \"incompressible\", \"given\", \"zeros\", \"ones\", \"compressible\" or \"repeated\"");
    if (kind)
        if (const auto known = read_choice<PayloadKind>(*kind, "payload")) payload.kind = *known;
    take(members, "seed", payload.seed, read_seed);
    const auto given = members.find("given");
    members.refuse_unknown();
    if (!kind) return std::nullopt;

    if (payload.kind != PayloadKind::given) {
        if (given) given->complain("belongs to the payload kind \"given\" only");
        return payload;
    }
    if (!given) {
        node.faults->add(deeper(node.pointer, "given"),
                         "is missing; add the bytes to write as \"hex:…\" or \"base64:…\"");
        return std::nullopt;
    }
    constexpr std::size_t longest_payload = std::size_t{1} << 20;
    auto bytes = given->value->is_string() ? payload_from(given->value->get_ref<const std::string&>()) : std::nullopt;
    if (!bytes || bytes->size() > longest_payload) {
        given->complain("must be \"hex:\" or \"base64:\" followed by 1 byte to 1 MiB in that encoding");
        return std::nullopt;
    }
    payload.given = std::move(*bytes);
    return payload;
}

std::optional<std::string> read_suite_name(const Node& node) {
    const auto names = suites::suite_names();
    const auto index = read_word(node, "suite", names);
    return index ? std::optional(std::string(names[*index])) : std::nullopt;
}

void read_members(const Node& node, SuiteEntry& entry) {
    Members members(node);
    auto& request = entry.request;
    if (const auto name = members.need("suite", "name the suite, for example \"quickbench\""))
        if (auto known = read_suite_name(*name)) request.name = std::move(*known);
    take(members, "where", entry.where, [](const Node& n) { return read_choice<SuiteTarget>(n, "place"); });
    take(members, "quick", request.quick, read_flag);
    take(members, "replug", entry.replug, read_flag);
    take_list(members, "tables", most_tables, request.tables, [](const Node& n) { return read_line(n, longest_line); });
    take_list(members, "options", most_options, request.options,
              [](const Node& n) { return read_line(n, longest_line); });
    take_list(members, "accesses", most_accesses, request.accesses,
              [](const Node& n) { return read_choice<Access>(n, "access"); });
    take_list(members, "blocks", most_block_sizes, request.blocks, read_size);
    take(members, "span", request.span, read_size);
    take(members, "volume", request.volume, read_size);
    take(members, "from", request.from, read_size);
    take(members, "rate_limit", request.rate_limit, read_size);
    take(members, "time_limit_s", request.time_limit, read_seconds);
    take(members, "engine", request.engine, [](const Node& n) { return read_choice<workload::Engine>(n, "engine"); });
    take(members, "cache", request.cache,
         [](const Node& n) { return read_choice<workload::CachePolicy>(n, "cache handling"); });
    take(members, "sync", request.sync, [](const Node& n) { return read_choice<SyncLevel>(n, "sync level"); });
    take(members, "queue_depth", request.queue_depth, [](const Node& n) -> std::optional<std::uint32_t> {
        const auto depth = read_count(n, {1, 1024});
        return depth ? std::optional(static_cast<std::uint32_t>(*depth)) : std::nullopt;
    });
    take(members, "payload", request.payload, read_payload);
    take(members, "on_io_error", request.on_io_error,
         [](const Node& n) { return read_choice<OnIoError>(n, "reaction to an I/O error"); });
    take(members, "assumed_cache", request.assumed_cache, read_size);
    take(members, "raw_log", request.keep_raw_log, read_flag);
    take(members, "order_seed", request.order_seed, read_seed);
    members.refuse_unknown();
}

SuiteEntry read_suite(const Node& node) {
    SuiteEntry entry;
    const std::size_t before = node.faults->count();
    if (node.value->is_string()) {
        if (auto name = read_suite_name(node)) entry.request.name = std::move(*name);
    } else {
        read_members(node, entry);
    }
    if (node.faults->count() == before)
        if (const auto sane = check_suite(entry, "\"where\": \"raw\""); !sane) node.complain(sane.error().detail);
    return entry;
}

} // namespace

std::vector<SuiteEntry> read_suites(const Node& node) {
    std::vector<SuiteEntry> suites;
    if (const auto list = read_list(node, most_suites))
        for (const Node& entry : *list) suites.push_back(read_suite(entry));
    return suites;
}

namespace {

measure::Limit read_limit(const Node& node) {
    Members members(node);
    measure::Limit limit;
    const auto line = [](const Node& text) { return read_line(text, longest_line); };
    take(members, "suite", limit.suite, line);
    if (const auto metric =
            members.need("metric", "name the limited metric, for example \"seq_write.1024KB.mb_per_s\""))
        if (auto name = line(*metric)) {
            limit.metric = *name;
            if (!metrics::metric_from(limit.metric))
                metric->complain(
                    fmt::format("unknown metric \"{}\"; docs/guide/plan.md lists them", excerpt(limit.metric)));
        }
    take(members, "format", limit.format, line);
    take(members, "min", limit.min, read_number);
    take(members, "max", limit.max, read_number);
    take(members, "guard_percent", limit.guard_percent, [](const Node& n) -> std::optional<double> {
        if (const auto percent = n.value->is_number() ? n.value->get<double>() : -1; percent >= 0 && percent <= 100)
            return percent;
        n.must_be("a number from 0 to 100");
        return std::nullopt;
    });
    const bool bounded = members.find("min") || members.find("max");
    members.refuse_unknown();
    if (members.readable() && !bounded) node.complain("limits nothing; add \"min\", \"max\" or both");
    if (limit.min && limit.max && *limit.min > *limit.max)
        node.complain(fmt::format("can never be met: \"min\" {} is larger than \"max\" {}", *limit.min, *limit.max));
    return limit;
}

} // namespace

std::vector<measure::Limit> read_limits(const Node& node) {
    std::vector<measure::Limit> limits;
    if (const auto list = read_list(node, most_limits))
        for (const Node& entry : *list) limits.push_back(read_limit(entry));
    return limits;
}

std::optional<Order> read_order(const Node& node) {
    Order order;
    if (node.value->is_string()) {
        const auto kind = read_choice<OrderKind>(node, "order");
        if (kind) order.kind = *kind;
        return order;
    }
    if (!node.value->is_object()) {
        node.must_be("the name of an order, or an object with \"kind\" and \"seed\"");
        return std::nullopt;
    }
    Members members(node);
    if (const auto kind =
            members.need("kind", "use \"listed\", \"reversed\", \"random\", \"random_pairs\" or \"counterbalanced\""))
        if (const auto known = read_choice<OrderKind>(*kind, "order")) order.kind = *known;
    take(members, "seed", order.seed, [](const Node& n) { return read_count(n, {0, ~std::uint64_t{0}}); });
    members.refuse_unknown();
    return order;
}

namespace {

constexpr std::size_t longest_path = 4095;

/// A word without a slash is a card in the catalogue.
std::optional<std::string> read_card(const Node& node) {
    const bool is_file =
        node.value->is_string() && (node.value->get_ref<const std::string&>().find('/') != std::string::npos ||
                                    node.value->get_ref<const std::string&>().ends_with(".json"));
    return is_file ? read_path(node) : read_line(node, longest_path);
}

EmulatedMedium read_lab_medium(const Node& node) {
    Members members(node);
    EmulatedMedium medium;
    if (const auto slot = members.need("slot", "give the number of this medium's slot, for example 1"))
        if (const auto number = read_count(*slot, {1, 255})) medium.slot = {static_cast<std::uint8_t>(*number)};
    if (const auto kind = members.find("kind"))
        if (const auto known = read_choice<SlotKind>(*kind, "kind of slot")) medium.kind = *known;
    if (const auto card = members.need("card", "name a card of `mediarig lab cards`, or a card model's JSON file"))
        if (auto name = read_card(*card)) medium.card = std::move(*name);
    take(members, "size", medium.size, [](const Node& size) { return read_size(size); });
    take(members, "seed", medium.seed, [](const Node& seed) { return read_count(seed, {0, ~std::uint64_t{0}}); });
    members.refuse_unknown();
    return medium;
}

} // namespace

std::vector<EmulatedMedium> read_lab(const Node& node) {
    std::vector<EmulatedMedium> lab;
    const auto list = read_list(node, most_lab_slots);
    if (!list) return lab;
    if (list->empty()) node.complain("has no slots; add at least one, or leave \"lab\" out");
    for (const Node& entry : *list) lab.push_back(read_lab_medium(entry));
    return lab;
}

namespace {

constexpr std::string_view wanted = "\"all\", or a list of slot numbers";

void read_which(const Node& node, SlotChoice& choice) {
    if (node.value->is_string()) {
        constexpr std::array<std::string_view, 1> words{"all"};
        choice.all = read_word(node, "choice of slots", words).has_value();
        return;
    }
    if (!node.value->is_array()) return node.must_be(wanted);
    const auto list = read_list(node, 255);
    if (!list) return;
    if (list->empty()) node.complain("names no slot; add at least one, or use \"all\"");
    for (const Node& entry : *list) {
        const auto number = read_count(entry, {1, 255});
        if (!number) continue;
        const SlotId slot{static_cast<std::uint8_t>(*number)};
        if (std::find(choice.slots.begin(), choice.slots.end(), slot) != choice.slots.end())
            entry.complain(fmt::format("names slot {} again; name each once (\"repeats\" tests it again)", *number));
        choice.slots.push_back(slot);
    }
}

} // namespace

SlotChoice read_slots(const Node& node) {
    SlotChoice choice;
    if (!node.value->is_object()) {
        read_which(node, choice);
        return choice;
    }
    const auto line = [](const Node& text) { return read_line(text, longest_line); };
    Members members(node);
    if (const auto numbers = members.need("numbers", "use \"all\", or list the slots")) read_which(*numbers, choice);
    take(members, "lot", choice.lot, line);
    take(members, "label", choice.label, line);
    members.refuse_unknown();
    return choice;
}

MediumRef medium_in(SlotId slot, const std::string& lot, const std::string& label) {
    MediumRef medium;
    medium.name = fmt::format("slot-{}", slot.number);
    medium.slot = slot;
    medium.lot = lot;
    medium.label = label;
    return medium;
}

Plan with_slots(Plan plan, std::uint8_t count) {
    if (!plan.all_slots) return plan;
    for (unsigned number = 1; number <= count; ++number)
        plan.media.push_back(
            medium_in(SlotId{static_cast<std::uint8_t>(number)}, plan.all_slots->lot, plan.all_slots->label));
    plan.all_slots.reset();
    return plan;
}

namespace {

std::string default_name(const MediumRef& medium) {
    if (medium.slot) return fmt::format("slot-{}", medium.slot->number);
    std::string_view target = medium.target();
    while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
    return excerpt(target == "/" ? target : target.substr(target.rfind('/') + 1), longest_line);
}

std::optional<std::string> read_device(const Node& node) {
    auto path = read_path(node);
    if (path && !path->starts_with("/dev/")) {
        node.complain(
            fmt::format("\"{}\" is not a block device, which has a path below /dev; for an image file use \"image\", "
                        "for a directory \"directory\"",
                        excerpt(*path)));
        return std::nullopt;
    }
    if (path && leads_upwards(*path)) {
        node.complain(fmt::format("\"{}\" leads out of /dev by \"..\"; name the device itself", excerpt(*path)));
        return std::nullopt;
    }
    return path;
}

std::optional<std::string> read_image(const Node& node) {
    auto path = read_path(node);
    if (path && path->starts_with("/dev/") && !path->starts_with("/dev/shm/")) {
        node.complain(
            fmt::format("\"{}\" is below /dev, which contains devices; name a device in \"path\"", excerpt(*path)));
        return std::nullopt;
    }
    return path;
}

MediumRef read_medium(const Node& node) {
    const auto line = [](const Node& text) { return read_line(text, longest_line); };
    Members members(node);
    MediumRef medium;
    take(members, "name", medium.name, line);

    std::size_t targets = 0;
    const auto target = [&](std::string_view name, auto& out, auto read) {
        if (const auto found = members.find(name)) {
            ++targets;
            if (auto value = read(*found)) out = std::move(*value);
        }
    };
    target("path", medium.path, read_device);
    target("image", medium.image, read_image);
    target("directory", medium.directory, read_path);
    target("slot", medium.slot, [](const Node& slot) -> std::optional<SlotId> {
        const auto number = read_count(slot, {1, 255});
        return number ? std::optional(SlotId{static_cast<std::uint8_t>(*number)}) : std::nullopt;
    });
    if (members.readable() && targets != 1)
        node.complain(targets == 0 ? "names no medium; add one of \"path\" (a block device), \"image\", \"directory\" "
                                     "and \"slot\""
                                   : "names more than one medium; keep one of \"path\", \"image\", \"directory\" and "
                                     "\"slot\"");
    // An empty text equals a missing member: the check of the whole plan decides whether `confirm` is required.
    take(members, "confirm", medium.confirm, [](const Node& text) -> std::optional<std::string> {
        if (text.value->is_string() && text.value->get_ref<const std::string&>().empty()) return std::nullopt;
        return read_line(text, 4095);
    });
    take(members, "lot", medium.lot, line);
    take(members, "label", medium.label, line);
    take(members, "partition", medium.partition, [](const Node& count) -> std::optional<std::uint32_t> {
        const auto number = read_count(count, {1, media::highest_partition});
        return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
    });
    const auto unknown = members.find("contents_unknown");
    take(members, "contents_unknown", medium.contents_unknown, read_flag);
    if (medium.contents_unknown && !medium.directory.empty())
        unknown->complain("applies to the signatures of a device or an image, and a directory is never erased");
    const auto use = members.find("use_unknown");
    take(members, "use_unknown", medium.use_unknown, read_flag);
    if (medium.use_unknown && !medium.directory.empty())
        use->complain("applies to the claim of a device or an image, and a directory is not claimed");
    members.refuse_unknown();
    if (medium.name.empty()) medium.name = default_name(medium);
    return medium;
}

} // namespace

std::vector<MediumRef> read_media(const Node& node) {
    std::vector<MediumRef> media;
    const auto list = read_list(node, most_media);
    if (!list) return media;
    if (list->empty()) node.complain("names no media; add at least one");
    for (const Node& entry : *list) media.push_back(read_medium(entry));
    return media;
}

} // namespace mediarig::plan
