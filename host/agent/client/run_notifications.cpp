// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/client/run_notifications.hpp"

#include <nlohmann/json.hpp>

#include "host/agent/protocol/samples.hpp"
#include "host/agent/protocol/wire.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

/// A gibibyte of latencies: three days of 1000 operations a second. More is an agent gone mad.
constexpr std::size_t longest_raw_log = std::size_t{1} << 28;

} // namespace

bool RunNotifications::knows(const std::string& method) {
    return method == "progress" || method == "samples" || method == "cell" || method == "finding";
}

Result<void> RunNotifications::hear(const std::string& method, const json& params) {
    if (method == "progress") return progress(params);
    if (method == "samples") return samples(params);
    if (method == "cell") return cell(params);
    return finding(params);
}

Result<void> RunNotifications::progress(const json& params) const {
    auto note = from_wire<ProgressNote>(params);
    if (!note) return fail(std::move(note.error()));
    if (handlers_.on_progress)
        handlers_.on_progress({std::move(note->phase), note->bytes_done, note->bytes_total, note->cell});
    return {};
}

Result<void> RunNotifications::samples(const json& params) {
    const auto chunk = samples_chunk_from_json(params);
    if (!chunk) return fail(chunk.error());
    std::vector<std::uint32_t>& log = raw_logs_[chunk->cell];
    if (chunk->first != log.size())
        return fail(Errc::bad_format, "first: is " + std::to_string(chunk->first) + ", but " +
                                          std::to_string(log.size()) + " samples came before");
    if (log.size() + chunk->latencies.size() > longest_raw_log)
        return fail(Errc::bad_format, "more than 2^28 samples for the cell " + chunk->cell);
    log.insert(log.end(), chunk->latencies.begin(), chunk->latencies.end());
    return {};
}

Result<void> RunNotifications::cell(const json& params) {
    auto note = from_wire<CellNote>(params);
    if (!note) return fail(std::move(note.error()));
    workload::CellResult& result = note->result;
    auto log = raw_logs_.extract(result.cell.id);
    const std::size_t heard = log.empty() ? 0 : log.mapped().size();
    if (heard != note->samples)
        return fail(Errc::bad_format, "samples: the cell " + result.cell.id + " has " + std::to_string(note->samples) +
                                          ", but " + std::to_string(heard) + " came");
    if (!log.empty()) result.raw_log = std::move(log.mapped());
    if (handlers_.on_cell) handlers_.on_cell(result);
    return {};
}

Result<void> RunNotifications::finding(const json& params) const {
    const auto note = from_wire<FindingNote>(params);
    if (!note) return fail(note.error());
    if (handlers_.on_finding) handlers_.on_finding(note->finding);
    return {};
}

} // namespace mediarig::agent
