// SPDX-License-Identifier: GPL-3.0-or-later
/// A running job's notifications: results as they come from the job's thread, progress when the line's thread asks.
#pragma once

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/agent/protocol/message.hpp"
#include "host/agent/server/output_queue.hpp"
#include "host/workload/jobs/job.hpp"

namespace mediarig::agent {

class RunFeed final : public workload::JobObserver {
public:
    /// `request`: id of the request the notifications belong to. `wake`: called after each push, on the job's thread.
    RunFeed(nlohmann::json request, OutputQueue& output, std::function<void()> wake);

    void on_phase(const std::string& name) override;
    void on_cell(const workload::CellResult& result) override;
    void on_finding(const measure::Finding& finding) override;

    /// The state of the job; nothing where it has not changed since the last time. On the line's thread.
    [[nodiscard]] std::optional<Notification> progress(const workload::JobControl& control);
    /// The first cell whose result was too long for a line and therefore not sent; empty where there is none.
    /// After the job only.
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
};

} // namespace mediarig::agent
