// SPDX-License-Identifier: GPL-3.0-or-later
/// The Store port on SQLite. Each call is one transaction; a call of together() is one transaction for all its writes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/store/sqlite/connection.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

class SqliteStore final : public Store {
public:
    explicit SqliteStore(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

    Result<void> begin(const CampaignRecord& campaign) override;
    Result<void> end(const std::string& campaign, CampaignState state, TimePoint at) override;
    Result<void> journal(const std::string& campaign, const StepRecord& step) override;
    Result<void> put(const std::string& campaign, const DeviceRecord& device) override;
    Result<void> put(const std::string& campaign, const FormatRecord& made) override;
    Result<void> put(const std::string& campaign, const PassRecord& pass) override;
    Result<void> put_cell(const std::string& campaign, const std::string& pass,
                          const workload::CellResult& cell) override;
    Result<void> put_end(const std::string& campaign, const std::string& pass, const PassEnd& end) override;
    Result<void> add(const std::string& campaign, const std::string& device, const DeviceEntry& entry) override;

    Result<void> together(const std::function<Result<void>()>& writes) override;

    Result<std::vector<CampaignRecord>> campaigns() override;
    Result<CampaignView> load(const std::string& campaign) override;
    Result<CampaignView> outline(const std::string& campaign) override;
    Result<DeviceView> load_device(const std::string& campaign, const std::string& device) override;
    Result<std::vector<DeviceGrade>> grades(const std::string& campaign) override;
    Result<std::map<std::string, StepRecord>> steps(const std::string& campaign) override;
    Result<std::vector<std::uint32_t>> raw_log(const std::string& campaign, const std::string& pass,
                                               const std::string& cell) override;

private:
    std::unique_ptr<Connection> connection_;
};

} // namespace mediarig::store
