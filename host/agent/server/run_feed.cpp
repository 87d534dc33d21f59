// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/run_feed.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "host/agent/protocol/samples.hpp"
#include "host/agent/protocol/wire.hpp"
#include "host/base/async/line_framer.hpp"
#include "host/measure/encoding.hpp"
#include "host/workload/json.hpp"

namespace mediarig::agent {

using nlohmann::json;

namespace {

/// Unchanged progress is sent again after this time, so that the controller can show that the test still runs.
constexpr std::chrono::seconds repeated_after{30};

std::string text_of(const workload::FailedTransfers::FirstFailure& first) {
    if (first.damaged) return "read returned other data than written, at byte " + std::to_string(first.offset);
    const std::string reason =
        first.error != 0 ? std::generic_category().message(first.error) : "fewer bytes than requested";
    return std::string(first.writing ? "write" : "read") + " failed: " + reason + "; at byte " +
           std::to_string(first.offset);
}

} // namespace

RunFeed::RunFeed(json request, OutputQueue& output, std::function<void()> wake)
    : request_(std::move(request)), output_(output), wake_(std::move(wake)) {}

void RunFeed::on_phase(const std::string& name) {
    const std::lock_guard lock(phase_mutex_);
    phase_ = name;
}

void RunFeed::on_cell(const workload::CellResult& result) {
    const std::span<const std::uint32_t> log(result.raw_log);
    for (std::size_t first = 0; first < log.size(); first += measure::samples_per_chunk) {
        const auto part = log.subspan(first, std::min(measure::samples_per_chunk, log.size() - first));
        send("samples", to_json(SamplesChunk{result.cell.id, first, {part.begin(), part.end()}}));
    }
    if (!send("cell", {{"result", workload::to_json(result)}, {"samples", log.size()}}) && unsent_cell_.empty())
        unsent_cell_ = result.cell.id;
}

void RunFeed::on_finding(const measure::Finding& finding) {
    send("finding", measure::to_json(finding));
}

bool RunFeed::send(const char* method, json params) {
    params["request"] = request_;
    std::string line = serialise(Notification{method, std::move(params)});
    if (line.size() > longest_line + 1) return false;
    output_.push_blocking(std::move(line));
    wake_();
    return true;
}

std::optional<Notification> RunFeed::progress(const workload::JobControl& control) {
    std::string phase;
    {
        const std::lock_guard lock(phase_mutex_);
        phase = phase_;
    }
    const std::uint64_t failures = control.failures.count();
    json params = to_wire(ProgressNote{.phase = std::move(phase),
                                       .bytes_done = {control.bytes_done.load(std::memory_order_relaxed)},
                                       .bytes_total = {control.bytes_total.load(std::memory_order_relaxed)},
                                       .cell = control.cell_index.load(std::memory_order_relaxed),
                                       .failures = failures,
                                       .first_failure = failures > 0 ? text_of(control.failures.first()) : ""});
    params["request"] = request_;
    const auto now = std::chrono::steady_clock::now();
    if (params == last_progress_ && now - last_sent_ < repeated_after) return std::nullopt;
    last_progress_ = params;
    last_sent_ = now;
    return Notification{"progress", std::move(params)};
}

} // namespace mediarig::agent
