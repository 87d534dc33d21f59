// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/workload/json_reader.hpp"
#include "host/workload/names.hpp"

namespace mediarig::workload {
namespace {

using detail::ObjectReader;
using nlohmann::json;

constexpr std::size_t most_cells = 4096;
constexpr std::size_t longest_id = 200;
constexpr std::size_t largest_given = std::size_t{1} << 20;
constexpr std::uint64_t deepest_queue_told = 4096;

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::uint8_t byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    return bytes;
}

CellSpec read_cell(ObjectReader& in) {
    CellSpec cell;
    cell.id = in.text("id", longest_id);
    cell.table = in.text_or("table", {}, longest_id);
    cell.access = in.name("access", access_from);
    cell.block = {in.number("block")};
    cell.volume = {in.number("volume")};
    if (in.has("time_limit_ns")) cell.time_limit = std::chrono::nanoseconds(in.nanoseconds("time_limit_ns"));
    cell.queue_depth = static_cast<std::uint32_t>(in.number_or("queue_depth", 1, deepest_queue_told));
    if (!in.error() && cell.block.count == 0) in.refuse("block", "0 bytes");
    if (!in.error() && cell.queue_depth == 0) in.refuse("queue_depth", "0");
    return cell;
}

SweepJob read_sweep(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "sweep");
    SweepJob sweep;
    sweep.span = {in.number("span")};
    if (const json* cells = in.list("cells", most_cells)) {
        for (std::size_t i = 0; i < cells->size() && !in.error(); ++i) {
            ObjectReader element((*cells)[i], "sweep.cells[" + std::to_string(i) + "]");
            sweep.cells.push_back(read_cell(element));
            if (element.error()) in.refuse(*element.error());
        }
    } else {
        in.refuse("cells", "missing");
    }
    if (in.error()) parent.refuse(*in.error());
    return sweep;
}

VerifyJob read_verify(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "verify");
    VerifyJob verify;
    verify.span = {in.number_or("span", 0)};
    verify.chunk = {in.number_or("chunk", verify.chunk.count)};
    verify.generation = static_cast<std::uint32_t>(in.number_or("generation", verify.generation, ~std::uint32_t{0}));
    if (in.error()) parent.refuse(*in.error());
    return verify;
}

ProbeJob read_probe(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "probe");
    ProbeJob probe;
    probe.assumed_cache = {in.number_or("assumed_cache", probe.assumed_cache.count)};
    probe.generation = static_cast<std::uint32_t>(in.number_or("generation", probe.generation, ~std::uint32_t{0}));
    if (in.error()) parent.refuse(*in.error());
    return probe;
}

Payload read_payload(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "payload");
    Payload payload;
    payload.kind = in.name("kind", payload_kind_from, std::optional(payload.kind));
    payload.seed = in.number_or("seed", payload.seed);
    if (auto bytes = bytes_from_hex(in.text_or("given", {}, largest_given * 2)))
        payload.given = std::move(*bytes);
    else
        in.refuse("given", "not hexadecimal");
    if (payload.kind == PayloadKind::given && payload.given.empty()) in.refuse("given", "missing");
    if (in.error()) parent.refuse(*in.error());
    return payload;
}

} // namespace

json to_json(const CellSpec& cell) {
    json out{{"id", cell.id},
             {"table", cell.table},
             {"access", name_of(cell.access)},
             {"block", cell.block.count},
             {"volume", cell.volume.count},
             {"queue_depth", cell.queue_depth}};
    if (cell.time_limit) out["time_limit_ns"] = cell.time_limit->count();
    return out;
}

Result<CellSpec> cell_from_json(const json& value) {
    ObjectReader in(value, "");
    CellSpec cell = read_cell(in);
    if (in.error()) return fail(*in.error());
    return cell;
}

json to_json(const JobSpec& job) {
    json out{{"suite", job.suite},
             {"suite_version", job.suite_version},
             {"engine", name_of(job.engine)},
             {"cache", name_of(job.cache)},
             {"sync", name_of(job.sync)},
             {"payload", {{"kind", name_of(job.payload.kind)}, {"seed", job.payload.seed}}},
             {"on_io_error", name_of(job.on_io_error)},
             {"keep_raw_log", job.keep_raw_log},
             {"order_seed", job.order_seed}};
    if (!job.payload.given.empty()) out["payload"]["given"] = hex_of(job.payload.given);
    if (job.sweep) {
        json cells = json::array();
        for (const CellSpec& cell : job.sweep->cells) cells.push_back(to_json(cell));
        out["sweep"] = {{"span", job.sweep->span.count}, {"cells", std::move(cells)}};
    }
    if (job.verify)
        out["verify"] = {{"span", job.verify->span.count},
                         {"chunk", job.verify->chunk.count},
                         {"generation", job.verify->generation}};
    if (job.probe)
        out["probe"] = {{"assumed_cache", job.probe->assumed_cache.count}, {"generation", job.probe->generation}};
    return out;
}

Result<JobSpec> job_from_json(const json& value) {
    ObjectReader in(value, "");
    JobSpec job;
    job.suite = in.text("suite", longest_id);
    job.suite_version = static_cast<std::uint32_t>(in.number_or("suite_version", 1, ~std::uint32_t{0}));
    job.engine = in.name("engine", engine_from, std::optional(job.engine));
    job.cache = in.name("cache", cache_policy_from, std::optional(job.cache));
    job.sync = in.name("sync", sync_level_from, std::optional(job.sync));
    job.on_io_error = in.name("on_io_error", on_io_error_from, std::optional(job.on_io_error));
    job.keep_raw_log = in.flag_or("keep_raw_log", false);
    job.order_seed = in.number_or("order_seed", 1);
    if (const json* payload = in.object("payload")) job.payload = read_payload(*payload, in);
    if (const json* sweep = in.object("sweep")) job.sweep = read_sweep(*sweep, in);
    if (const json* verify = in.object("verify")) job.verify = read_verify(*verify, in);
    if (const json* probe = in.object("probe")) job.probe = read_probe(*probe, in);
    if (job.sweep.has_value() + job.verify.has_value() + job.probe.has_value() != 1)
        in.refuse("sweep", "exactly one of sweep, verify and probe is needed");
    if (in.error()) return fail(*in.error());
    return job;
}

} // namespace mediarig::workload
