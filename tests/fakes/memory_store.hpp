// SPDX-License-Identifier: GPL-3.0-or-later
/// A volatile store that keeps a log of its calls and fails on request.
#pragma once

#include <cstddef>
#include <optional>

#include "host/store/store.hpp"

namespace mediarig::store {

class MemoryStore : public Store {
public:
    /// The writing call with this index (from 0) fails, and so does every later call: a full disk stays full.
    std::optional<std::size_t> fails_from;
    std::vector<std::string> log; ///< one line per writing call: "begin", "step m0.identify done", "cell …"
    std::size_t loaded_devices{};
    bool loses_devices{}; ///< load_device() fails
    std::map<std::string, CampaignView> views;
    std::map<std::string, std::map<std::string, StepRecord>> journals;

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
    Result<void> wrote(std::string line);
    DeviceView& device(const std::string& campaign, const std::string& key);
    PassView& pass(const std::string& campaign, const std::string& id);
    std::size_t calls_{};
};

} // namespace mediarig::store
