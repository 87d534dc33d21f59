// SPDX-License-Identifier: GPL-3.0-or-later
/// A backend whose media exist only in the test. It keeps a log, fails on request, and can hold a call until the test
/// releases it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "host/agent/server/media_backend.hpp"

namespace mediarig::agent {

class FakeMediaBackend : public MediaBackend {
public:
    // --- the script, must be complete before the server runs ---
    std::map<std::string, media::Medium> media; ///< by target
    /// Failures by name of the call ("format", "mount", "run", "unmount", "release", "describe", …).
    std::map<std::string, Error> failures;
    /// Calls that wait until release() or a cancel.
    std::string held;
    /// The process is killed by SIGKILL in this call.
    std::string dies_in;
    /// Call in which a library throws an exception.
    std::string throws_in;
    /// True if a failed unmount has still stopped the volume.
    bool unmount_detaches{};
    std::string host_name{"fakehost"};
    /// Operations in the raw log of each cell of a run with raw logs.
    std::size_t raw_log_length{20'000};
    /// Seconds in the series of each cell.
    std::size_t series_length{1};
    /// Missing support of every file system.
    std::vector<std::string> lacking;
    /// Findings reported during a run.
    measure::Findings findings;

    // --- recorded events, safe from any thread ---
    [[nodiscard]] std::vector<std::string> log() const;
    /// Waits until `line` is in the log, for at most a minute.
    [[nodiscard]] bool saw(const std::string& line) const;
    [[nodiscard]] int open_claims() const { return open_claims_; }
    [[nodiscard]] int open_mounts() const { return open_mounts_; }
    void release();

    HelloReport describe() override;
    Result<std::vector<media::Medium>> devices() override;
    Result<media::Medium> identify(const std::string& target) override;
    Result<media::InspectReport> inspect(const std::string& target) override;
    Result<media::SmartReport> smart(const std::string& target) override;
    Result<media::CardHealth> card_health(const std::string& target) override;
    Result<workload::ScanReport> scan(const ScanParams& wanted, workload::JobControl& control) override;
    Result<std::vector<std::string>> lacks(const SupportParams& wanted) override;
    Result<std::unique_ptr<ClaimedMedium>> claim(const media::ClaimRequest& request) override;
    Result<workload::JobOutcome> run(const workload::JobSpec& job, const workload::JobTarget& target,
                                     const std::vector<workload::PreviousCell>& done, workload::JobControl& control,
                                     workload::JobObserver& observer) override;

private:
    class Claim;
    /// Records the call, then fails, waits or continues according to the script.
    Result<void> step(const std::string& call, const std::string& about = {},
                      const std::atomic<bool>* cancel = nullptr);

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<std::string> log_;
    bool release_{false};
    std::atomic<int> open_claims_{0}, open_mounts_{0};
};

/// Makes backends for a server: all its workers have these media. A held call reads the `stop_work` of its worker, as a
/// real tool does. `backend` outlives the server.
[[nodiscard]] MakeBackend maker_of(FakeMediaBackend& backend);

/// A removable medium named after its node, with the serial "S-" + node.
[[nodiscard]] media::Medium fake_medium(const std::string& node, Bytes size = {std::uint64_t{64} << 20});
/// A sweep of `cells` cells of four 4 KiB operations each: "c0", "c1", ….
[[nodiscard]] workload::JobSpec fake_sweep(std::size_t cells);

} // namespace mediarig::agent
