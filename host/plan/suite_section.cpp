// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>

#include "host/plan/check_suite.hpp"
#include "host/plan/names.hpp"
#include "host/plan/payload_text.hpp"
#include "host/plan/sections.hpp"
#include "host/strict_json/amounts.hpp"
#include "host/workload/names.hpp"

namespace mediarig::plan {
namespace {

using workload::Access, workload::OnIoError, workload::Payload, workload::PayloadKind, workload::SyncLevel;

constexpr std::size_t most_block_sizes = 64, most_tables = 16, most_accesses = 4, most_options = 16;

constexpr std::array wheres{Where::file_system, Where::raw};
constexpr std::array accesses{Access::sequential_read, Access::sequential_write, Access::random_read,
                              Access::random_write};
constexpr std::array sync_levels{SyncLevel::none, SyncLevel::at_end, SyncLevel::each_io, SyncLevel::each_io_attributes};
constexpr std::array payload_kinds{PayloadKind::incompressible, PayloadKind::given, PayloadKind::zeros};
constexpr std::array error_reactions{OnIoError::stop, OnIoError::go_on};

std::optional<std::uint64_t> read_seed(const Node& node) {
    return read_count(node, {0, ~std::uint64_t{0}});
}

/// A list of at least one; what does not fit is left out.
template <class Value, class Read>
void take_list(Members& members, std::string_view name, std::size_t most, std::vector<Value>& out, Read read) {
    const auto node = members.find(name);
    if (!node) return;
    const auto list = read_list(*node, most);
    if (!list) return;
    if (list->empty()) node->complain("must not be empty; leave it out for the suite's own");
    for (const Node& entry : *list)
        if (auto value = read(entry)) out.push_back(std::move(*value));
}

std::optional<Payload> read_payload(const Node& node) {
    Members members(node);
    Payload payload;
    const auto kind = members.need("kind", "say \"incompressible\", \"given\" or \"zeros\"");
    if (kind)
        if (const auto known = read_choice(*kind, "payload", payload_kinds)) payload.kind = *known;
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
        given->complain("must be \"hex:\" or \"base64:\" and 1 byte to 1 MiB in that form");
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
    if (const auto name = members.need("suite", "say which suite, for example \"quickbench\""))
        if (auto known = read_suite_name(*name)) request.name = std::move(*known);
    take(members, "where", entry.where, [](const Node& n) { return read_choice(n, "place", wheres); });
    take(members, "quick", request.quick, read_flag);
    take_list(members, "tables", most_tables, request.tables, [](const Node& n) { return read_line(n, longest_line); });
    take_list(members, "options", most_options, request.options,
              [](const Node& n) { return read_line(n, longest_line); });
    take_list(members, "accesses", most_accesses, request.accesses,
              [](const Node& n) { return read_choice(n, "access", accesses); });
    take_list(members, "blocks", most_block_sizes, request.blocks, read_size);
    take(members, "span", request.span, read_size);
    take(members, "volume", request.volume, read_size);
    take(members, "time_limit_s", request.time_limit, read_seconds);
    take(members, "engine", request.engine, [](const Node& n) { return read_choice(n, "engine", workload::engines); });
    take(members, "cache", request.cache,
         [](const Node& n) { return read_choice(n, "cache handling", workload::cache_policies); });
    take(members, "sync", request.sync, [](const Node& n) { return read_choice(n, "sync level", sync_levels); });
    take(members, "queue_depth", request.queue_depth, [](const Node& n) -> std::optional<std::uint32_t> {
        const auto depth = read_count(n, {1, 1024});
        return depth ? std::optional(static_cast<std::uint32_t>(*depth)) : std::nullopt;
    });
    take(members, "payload", request.payload, read_payload);
    take(members, "on_io_error", request.on_io_error,
         [](const Node& n) { return read_choice(n, "reaction to an I/O error", error_reactions); });
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

Result<void> check_suite(const SuiteEntry& entry, std::string_view raw) {
    const suites::Suite* suite = suites::find_suite(entry.request.name);
    if (suite != nullptr && !suite->instead_on_files.empty() && entry.where != Where::raw)
        return fail(Errc::bad_request, fmt::format("suite {} works on the bare device; add {}, or take suite {}",
                                                   suite->name, raw, suite->instead_on_files));
    // Whether the medium is large enough shows when it is there; everything else shows now.
    const auto job = suites::expand(entry.request, largest_size);
    if (!job) return fail(job.error());
    if (entry.where == Where::raw && workload::makes_files(*job))
        return fail(Errc::bad_request, fmt::format("suite {} makes files, which need a file system; leave out {}",
                                                   entry.request.name, raw));
    return {};
}

std::vector<SuiteEntry> read_suites(const Node& node) {
    std::vector<SuiteEntry> suites;
    if (const auto list = read_list(node, most_suites))
        for (const Node& entry : *list) suites.push_back(read_suite(entry));
    return suites;
}

} // namespace mediarig::plan
