// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: storage of records. Each call is durable when it returns: after SIGKILL at any moment the store opens and
/// contains every record whose call had returned. Two processes may write at once. Blocking, one thread at a time;
/// AsyncStore (async/) is the non-blocking form.
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

    /// The following calls replace the data of an interrupted attempt under the same key. A device that is put again
    /// keeps its passes, its findings and its content before the first write; its untested parts are removed, because
    /// the new attempt tries them again.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const DeviceRecord& device) = 0;
    /// A repeated format replaces the previous one.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const FormatRecord& made) = 0;
    /// A pass that is put again keeps its cells.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const PassRecord& pass) = 0;
    [[nodiscard]] virtual Result<void> put_cell(const std::string& campaign, const std::string& pass,
                                                const workload::CellResult& cell) = 0;
    [[nodiscard]] virtual Result<void> put_end(const std::string& campaign, const std::string& pass,
                                               const PassEnd& end) = 0;
    /// Replaces the verdict. An equal finding or untested part is not added again. All checks and detachments are kept,
    /// because each of them happened.
    [[nodiscard]] virtual Result<void> add(const std::string& campaign, const std::string& device,
                                           const DeviceEntry& entry) = 0;

    /// The records that `writes` puts become durable when this call returns, not before: all of them, or none if
    /// `writes` or the store fails. Stores many records at the cost of one.
    [[nodiscard]] virtual Result<void> together(const std::function<Result<void>()>& writes) = 0;

    /// Newest first.
    [[nodiscard]] virtual Result<std::vector<CampaignRecord>> campaigns() = 0;
    /// Fails with bad_request if there is no campaign with exactly this id.
    [[nodiscard]] virtual Result<CampaignView> load(const std::string& campaign) = 0;
    /// Returns the devices with identity and verdict only: no passes, formats, findings or initial content. The cost
    /// for many devices is low; load_device() reads the rest of one.
    [[nodiscard]] virtual Result<CampaignView> outline(const std::string& campaign) = 0;
    /// Reads one device by its key; the cost does not depend on the number of other devices. Fails with bad_request if
    /// there is no such device.
    [[nodiscard]] virtual Result<DeviceView> load_device(const std::string& campaign, const std::string& device) = 0;
    /// In the order in which the devices were first put.
    [[nodiscard]] virtual Result<std::vector<DeviceGrade>> grades(const std::string& campaign) = 0;
    /// The last state of each step, by key.
    [[nodiscard]] virtual Result<std::map<std::string, StepRecord>> steps(const std::string& campaign) = 0;
    /// Returns the latencies of one cell in the order in which the operations ended, in nanoseconds; empty if none were
    /// kept.
    [[nodiscard]] virtual Result<std::vector<std::uint32_t>> raw_log(const std::string& campaign,
                                                                     const std::string& pass,
                                                                     const std::string& cell) = 0;
};

} // namespace mediarig::store
