// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: all operations of the server on media. The adapter for this machine is in linux/; tests use a fake. Each
/// backend is called only on its worker's thread; each claim may have its own backend.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/protocol/message.hpp"
#include "host/agent/protocol/wire.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"
#include "host/media/format/discard/discard.hpp"
#include "host/media/format/partition/volume_choice.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/idle/idle.hpp"
#include "host/media/mount/mount.hpp"
#include "host/workload/io/job_control.hpp"

namespace mediarig::agent {

/// An erasable medium and its state. The destructor cleans up as far as possible. The server ensures the order of
/// operations (while mounted only run, unmount and release); see claim_table.hpp.
class ClaimedMedium {
public:
    virtual ~ClaimedMedium() = default;
    [[nodiscard]] virtual const media::Medium& medium() const = 0;
    [[nodiscard]] virtual Result<media::FormatReport> format(const media::FormatSpec& spec) = 0;
    /// Discards the whole medium; also returns a report for a medium that does not support discard.
    [[nodiscard]] virtual Result<media::DiscardReport> discard() = 0;
    /// In mount() and check(), `wish.fs` is set. If this claim has formatted or mounted a volume with this file system,
    /// the method uses that volume.
    [[nodiscard]] virtual Result<media::MountReport> mount(const media::VolumeRequest& wish) = 0;
    /// Permitted only while mounted: waits until the background work of the format has ended, according to the device's
    /// counters.
    [[nodiscard]] virtual Result<media::IdleReport> wait_idle() = 0;
    [[nodiscard]] virtual Result<media::CheckReport> check(const media::VolumeRequest& wish) = 0;
    /// Target of a job on the mounted file system.
    [[nodiscard]] virtual Result<workload::JobTarget> directory() = 0;
    /// Target of a job on the bare device; first checks the medium again.
    [[nodiscard]] virtual Result<workload::JobTarget> device() = 0;
    /// Restores the medium after an interrupted check; see workload::run_restore(). Fails with bad_request if no check
    /// was interrupted.
    [[nodiscard]] virtual Result<workload::RestoreReport> restore(workload::RestoreMode mode,
                                                                  workload::JobControl& control) = 0;
    [[nodiscard]] virtual Result<void> unmount() = 0;
    [[nodiscard]] virtual bool is_mounted() const = 0;
    /// Detaches the devices that the claim attached; the medium must not be mounted. The call may be repeated after a
    /// failure.
    [[nodiscard]] virtual Result<void> release() = 0;
    /// Returns a host_fault if this machine failed during the claim: a driver ended, or the disk that holds the image
    /// is full. Check this before a fault is attributed to the medium.
    [[nodiscard]] virtual std::optional<Error> backing_fault() { return std::nullopt; }
};

class MediaBackend {
public:
    virtual ~MediaBackend() = default;
    /// Describes this machine for `hello`; the server fills in `protocol` and `agent_version`.
    [[nodiscard]] virtual HelloReport describe() = 0;
    [[nodiscard]] virtual Result<std::vector<media::Medium>> devices() = 0;
    [[nodiscard]] virtual Result<media::Medium> identify(const std::string& target) = 0;
    [[nodiscard]] virtual Result<media::InspectReport> inspect(const std::string& target) = 0;
    /// Health data of a disk, also through its bridge; if the data cannot be read, the report contains the reason.
    [[nodiscard]] virtual Result<media::SmartReport> smart(const std::string& target) = 0;
    /// Health data of a card in a slot of this machine; if the data cannot be read, the result contains the reason.
    [[nodiscard]] virtual Result<media::CardHealth> card_health(const std::string& target) = 0;
    /// Reads a device or image that may be in use; behaves like workload::scan().
    [[nodiscard]] virtual Result<workload::ScanReport> scan(const ScanParams& wanted,
                                                            workload::JobControl& control) = 0;
    /// Returns the requirements for making, checking and, if requested, mounting the wanted volume that this machine
    /// lacks, independent of the medium; one requirement per line.
    [[nodiscard]] virtual Result<std::vector<std::string>> lacks(const SupportParams& wanted) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<ClaimedMedium>> claim(const media::ClaimRequest& request) = 0;
    /// Behaves like workload::run_job.
    [[nodiscard]] virtual Result<workload::JobOutcome> run(const workload::JobSpec& job,
                                                           const workload::JobTarget& target,
                                                           const std::vector<workload::PreviousCell>& done,
                                                           workload::JobControl& control,
                                                           workload::JobObserver& observer) = 0;
};

/// Makes a backend for one worker of the server. `stop_work` outlives the backend, whose tools poll it.
using MakeBackend = std::function<std::unique_ptr<MediaBackend>(const std::atomic<bool>& stop_work)>;

} // namespace mediarig::agent
