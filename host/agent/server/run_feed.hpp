// SPDX-License-Identifier: GPL-3.0-or-later
/// Sends the notifications of a running job: results at once, on the job's thread; progress when the connection's
/// thread requests it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/agent/protocol/message.hpp"
#include "host/agent/server/output_queue.hpp"
#include "host/workload/io/job_control.hpp"

namespace mediarig::agent {

class RunFeed final : public workload::JobObserver {
public:
    /// `request`: id of the request of the notifications. `wake`: called after each push, on the job's thread.
    RunFeed(nlohmann::json request, OutputQueue& output, std::function<void()> wake);

    void on_phase(const std::string& name) override;
    void on_cell(const workload::CellResult& result) override;
    void on_finding(const measure::Finding& finding) override;

    /// Progress of the job; empty if unchanged for less than half a minute. Call this on the
    /// connection's thread.
    [[nodiscard]] std::optional<Notification> progress(const workload::JobControl& control);
    /// The first cell whose result was not sent because it was too long for a line; else empty. Valid after the job.
    [[nodiscard]] const std::string& unsent_cell() const { return unsent_cell_; }

private:
    bool send(const char* method, nlohmann::json params);

    const nlohmann::json request_;
    OutputQueue& output_;
    std::function<void()> wake_;
    std::mutex phase_mutex_;
    std::string phase_;
    std::string unsent_cell_;
    nlohmann::json last_progress_;
    std::chrono::steady_clock::time_point last_sent_{};
};

} // namespace mediarig::agent
