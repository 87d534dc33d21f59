// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: storage of records. Each call is durable when it returns: after SIGKILL at any moment the store opens and
/// contains every record whose call had returned. Two processes may write at once. Calls block, and only one thread may
/// call at a time; AsyncStore (async/) is the non-blocking form.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

class Store {
public:
    virtual ~Store() = default;

    /// begin() with an existing id replaces the record and keeps its dependent records.
    [[nodiscard]] virtual Result<void> begin(const CampaignRecord& campaign) = 0;
    [[nodiscard]] virtual Result<void> end(const std::string& campaign, CampaignState state, TimePoint at) = 0;
    [[nodiscard]] virtual Result<void> journal(const std::string& campaign, const StepRecord& step) = 0;

    /// Each of the following calls replaces the data that an interrupted attempt stored under the same key. A device
    /// that is stored again keeps its passes, its findings and its content before the first write; the record of its
    /// untested parts is removed, because the new attempt tests these parts again.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const DeviceRecord& device) = 0;
    /// A format that is stored again replaces the previous record.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const FormatRecord& made) = 0;
    /// A pass that is stored again keeps its cells.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const PassRecord& pass) = 0;
    [[nodiscard]] virtual Result<void> put_cell(const std::string& campaign, const std::string& pass,
                                                const workload::CellResult& cell) = 0;
    [[nodiscard]] virtual Result<void> put_end(const std::string& campaign, const std::string& pass,
                                               const PassEnd& end) = 0;
    /// Adds an entry. A new verdict replaces the previous one. An equal finding or untested part is not added again.
    /// All checks and detachments are kept, because each of them happened.
    [[nodiscard]] virtual Result<void> add(const std::string& campaign, const std::string& device,
                                           const DeviceEntry& entry) = 0;

    /// Makes the records that `writes` stores durable together: all when this call returns, or no record if `writes` or
    /// the store fails. Stores many records at the cost of a single record.
    [[nodiscard]] virtual Result<void> together(const std::function<Result<void>()>& writes) = 0;

    /// Returns all campaigns, newest first.
    [[nodiscard]] virtual Result<std::vector<CampaignRecord>> campaigns() = 0;
    /// Fails with bad_request if no campaign has exactly this id.
    [[nodiscard]] virtual Result<CampaignView> load(const std::string& campaign) = 0;
    /// Returns the devices with identity and verdict only: no passes, formats, findings or initial content. The cost is
    /// low even for many devices; load_device() reads the rest of a device.
    [[nodiscard]] virtual Result<CampaignView> outline(const std::string& campaign) = 0;
    /// Reads one device by its key; the cost does not depend on the number of other devices. Fails with bad_request if
    /// the device does not exist.
    [[nodiscard]] virtual Result<DeviceView> load_device(const std::string& campaign, const std::string& device) = 0;
    /// In the order in which the devices were first stored.
    [[nodiscard]] virtual Result<std::vector<DeviceGrade>> grades(const std::string& campaign) = 0;
    /// Returns the last state of each step, by key.
    [[nodiscard]] virtual Result<std::map<std::string, StepRecord>> steps(const std::string& campaign) = 0;
    /// Returns the latencies of a cell in the order in which the operations ended, in nanoseconds; empty if no raw log
    /// was kept.
    [[nodiscard]] virtual Result<std::vector<std::uint32_t>> raw_log(const std::string& campaign,
                                                                     const std::string& pass,
                                                                     const std::string& cell) = 0;
};

} // namespace mediarig::store
