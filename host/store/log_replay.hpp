// SPDX-License-Identifier: GPL-3.0-or-later
/// Rebuilds records from the lines of a device log, one line after the other, by the rules of the Store port.
#pragma once

#include <istream>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/store/device_log_reader.hpp"

namespace mediarig::store {

class LogReplay {
public:
    struct CellKey {
        std::string campaign, pass, cell;
        bool operator==(const CellKey&) const = default;
    };

    /// Raw logs are passed over, except that of `wanted`: a device's whole life may hold more of them than memory.
    explicit LogReplay(std::optional<CellKey> wanted = std::nullopt) : wanted_(std::move(wanted)) {}

    /// bad_format where a member of a known kind of line does not fit; unknown kinds are passed over.
    [[nodiscard]] Result<void> apply(const nlohmann::json& line);

    [[nodiscard]] DeviceHistory finish();
    /// Of the wanted cell, empty where none was kept; nothing where no line told of that cell.
    [[nodiscard]] const std::optional<std::vector<std::uint32_t>>& raw_log() const { return raw_log_; }

private:
    [[nodiscard]] CampaignView* find_campaign(const nlohmann::json& line);
    [[nodiscard]] DeviceView* find_device(const nlohmann::json& line);
    [[nodiscard]] PassView* find_pass(const nlohmann::json& line);
    [[nodiscard]] static PassView* find_pass(DeviceView& device, const std::string& id);

    Result<void> campaign(const nlohmann::json& line);
    Result<void> campaign_end(const nlohmann::json& line);
    Result<void> device(const nlohmann::json& line);
    Result<void> format(const nlohmann::json& line);
    Result<void> pass(const nlohmann::json& line);
    Result<void> samples(const nlohmann::json& line);
    Result<void> cell(const nlohmann::json& line);
    Result<void> end(const nlohmann::json& line);
    Result<void> finding(const nlohmann::json& line);
    Result<void> check(const nlohmann::json& line);
    Result<void> untested(const nlohmann::json& line);
    Result<void> verdict(const nlohmann::json& line);
    Result<void> stray();

    DeviceHistory history_;
    std::optional<CellKey> wanted_;
    std::vector<std::uint32_t> collected_; ///< chunks of the wanted cell, until its own line makes them count
    std::optional<std::vector<std::uint32_t>> raw_log_;
};

/// Feeds a whole log into `replay`; returns the number of torn lines.
[[nodiscard]] Result<std::uint64_t> replay_log(std::istream& log, LogReplay& replay);

} // namespace mediarig::store
