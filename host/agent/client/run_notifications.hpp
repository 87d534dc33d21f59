// SPDX-License-Identifier: GPL-3.0-or-later
/// One run's notifications, turned back into values: a cell's raw log comes in chunks before the cell itself.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/result.hpp"

namespace mediarig::agent {

class RunNotifications {
public:
    explicit RunNotifications(RunHandlers handlers) : handlers_(std::move(handlers)) {}

    /// Whether `method` is one of the notifications that belong to a run.
    [[nodiscard]] static bool knows(const std::string& method);
    /// Fails with bad_format, naming the member or the gap in the raw log.
    [[nodiscard]] Result<void> hear(const std::string& method, const nlohmann::json& params);

private:
    [[nodiscard]] Result<void> progress(const nlohmann::json& params) const;
    [[nodiscard]] Result<void> samples(const nlohmann::json& params);
    [[nodiscard]] Result<void> cell(const nlohmann::json& params);
    [[nodiscard]] Result<void> finding(const nlohmann::json& params) const;

    RunHandlers handlers_;
    std::map<std::string, std::vector<std::uint32_t>> raw_logs_; ///< of cells that are not finished, by id
};

} // namespace mediarig::agent
