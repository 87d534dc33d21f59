// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: where records are kept. Each call is durable when it returns: after SIGKILL at any moment the store opens and
/// holds everything whose call had returned. Two processes may write at once. Blocking, on one thread at a time; who
/// may not block asks an AsyncStore (async/).
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

    /// An id that is there already gets the new record; what hangs on it stays.
    [[nodiscard]] virtual Result<void> begin(const CampaignRecord& campaign) = 0;
    [[nodiscard]] virtual Result<void> end(const std::string& campaign, CampaignState state, TimePoint at) = 0;
    [[nodiscard]] virtual Result<void> journal(const std::string& campaign, const StepRecord& step) = 0;

    /// Each of these replaces what an interrupted attempt left under the same key. A device that is put again keeps
    /// its passes and findings, and what was found on it before the first write; it forgets what could not be tested:
    /// the attempt that puts it tries that again.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const DeviceRecord& device) = 0;
    /// A format that is made again takes the place of what it was before.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const MadeFormat& made) = 0;
    /// A pass that is put again keeps the cells that it has.
    [[nodiscard]] virtual Result<void> put(const std::string& campaign, const PassRecord& pass) = 0;
    [[nodiscard]] virtual Result<void> put_cell(const std::string& campaign, const std::string& pass,
                                                const workload::CellResult& cell) = 0;
    [[nodiscard]] virtual Result<void> put_end(const std::string& campaign, const std::string& pass,
                                               const PassEnd& end) = 0;
    [[nodiscard]] virtual Result<void> add_finding(const std::string& campaign, const std::string& device,
                                                   const FindingRecord& finding) = 0;
    [[nodiscard]] virtual Result<void> add_check(const std::string& campaign, const std::string& device,
                                                 const media::CheckReport& check) = 0;
    /// Kept over attempts: each separation happened.
    [[nodiscard]] virtual Result<void> add_detachment(const std::string& campaign, const std::string& device,
                                                      const rig::Detachment& detachment) = 0;
    [[nodiscard]] virtual Result<void> add_untested(const std::string& campaign, const std::string& device,
                                                    const measure::Untested& untested) = 0;
    [[nodiscard]] virtual Result<void> put_verdict(const std::string& campaign, const std::string& device,
                                                   const measure::Verdict& verdict) = 0;

    /// What `writes` puts is durable when this call returns, and not before: all of it, or nothing where `writes` or
    /// the store fails. For many records at the cost of one.
    [[nodiscard]] virtual Result<void> together(const std::function<Result<void>()>& writes) = 0;

    /// Newest first.
    [[nodiscard]] virtual Result<std::vector<CampaignRecord>> campaigns() = 0;
    /// bad_request where there is no campaign of this very id.
    [[nodiscard]] virtual Result<CampaignView> load(const std::string& campaign) = 0;
    /// Its devices with what they say of themselves and their verdicts, and nothing else: no passes, formats, findings,
    /// nor what was found on them. For many devices at the cost of few; load_device() gives the rest of one.
    [[nodiscard]] virtual Result<CampaignView> outline(const std::string& campaign) = 0;
    /// One device of it, by its key; at a cost that does not depend on how many others there are. bad_request where
    /// there is no such device.
    [[nodiscard]] virtual Result<DeviceView> load_device(const std::string& campaign, const std::string& device) = 0;
    /// In the order in which the devices were first put.
    [[nodiscard]] virtual Result<std::vector<DeviceGrade>> grades(const std::string& campaign) = 0;
    /// The last state of each step, by key.
    [[nodiscard]] virtual Result<std::map<std::string, StepRecord>> steps(const std::string& campaign) = 0;
    /// Latencies of one cell in the order in which the operations ended, nanoseconds; empty where none were kept.
    [[nodiscard]] virtual Result<std::vector<std::uint32_t>> raw_log(const std::string& campaign,
                                                                     const std::string& pass,
                                                                     const std::string& cell) = 0;
};

} // namespace mediarig::store
