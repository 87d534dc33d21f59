// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: everything the server lets happen to media. The adapter for this machine is linux/; tests bring a fake.
/// Each backend is called on one thread only, that of its worker; there may be as many as there are claims.
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
#include "host/media/mount/mount.hpp"
#include "host/media/mount/settle/settle.hpp"
#include "host/workload/jobs/job.hpp"

namespace mediarig::agent {

/// A medium that may be erased, with what was made of it. Destroying it puts everything away, as far as that works.
/// The server keeps the order of things (nothing but a run, an unmount and a release while mounted); see
/// claim_table.hpp.
class ClaimedMedium {
public:
    virtual ~ClaimedMedium() = default;
    [[nodiscard]] virtual const media::Medium& medium() const = 0;
    [[nodiscard]] virtual Result<media::FormatReport> format(const media::FormatSpec& spec) = 0;
    /// All of the medium; one that takes no discard is a report too.
    [[nodiscard]] virtual Result<media::DiscardReport> discard() = 0;
    /// `wish.fs` is set in both. Where this claim has formatted or mounted such a volume, it is that one.
    [[nodiscard]] virtual Result<media::MountReport> mount(const media::VolumeRequest& wish) = 0;
    /// Mounted: waits until the format's own work has ended, as far as the device's counters tell.
    [[nodiscard]] virtual Result<media::SettleReport> settle() = 0;
    [[nodiscard]] virtual Result<media::CheckReport> check(const media::VolumeRequest& wish) = 0;
    /// Where a job on the mounted file system works.
    [[nodiscard]] virtual Result<workload::Target> directory() = 0;
    /// Where a job on the bare device works; the medium is checked again first.
    [[nodiscard]] virtual Result<workload::Target> device() = 0;
    [[nodiscard]] virtual Result<void> unmount() = 0;
    [[nodiscard]] virtual bool is_mounted() const = 0;
    /// Detaches what claiming attached; not mounted any more. May be tried again after a failure.
    [[nodiscard]] virtual Result<void> release() = 0;
    /// What of this machine failed under the claim (host_fault): its driver ended, the disk below its image is full.
    /// Asked before anything is held against the medium.
    [[nodiscard]] virtual std::optional<Error> trouble() { return std::nullopt; }
};

class MediaBackend {
public:
    virtual ~MediaBackend() = default;
    /// This machine, for `hello`; `protocol` and `agent_version` are the server's to fill in.
    [[nodiscard]] virtual HelloReport describe() = 0;
    [[nodiscard]] virtual Result<std::vector<media::Medium>> devices() = 0;
    [[nodiscard]] virtual Result<media::Medium> identify(const std::string& target) = 0;
    [[nodiscard]] virtual Result<media::InspectReport> inspect(const std::string& target) = 0;
    /// What a disk behind its bridge says of its health; what hinders asking stands in the report.
    [[nodiscard]] virtual Result<media::SmartReport> smart(const std::string& target) = 0;
    /// What making, checking and (where asked for) mounting such a volume would lack here, whatever the medium: a line
    /// each.
    [[nodiscard]] virtual Result<std::vector<std::string>> lacks(const SupportParams& wanted) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<ClaimedMedium>> claim(const media::ClaimRequest& request) = 0;
    /// As workload::run_job.
    [[nodiscard]] virtual Result<workload::JobOutcome> run(const workload::JobSpec& job, const workload::Target& target,
                                                           const std::vector<workload::DoneCell>& done,
                                                           workload::JobControl& control,
                                                           workload::JobObserver& observer) = 0;
};

/// Makes a backend for one worker of the server. `stop_work` outlives it: it is what its tools look at while they work.
using MakeBackend = std::function<std::unique_ptr<MediaBackend>(const std::atomic<bool>& stop_work)>;

} // namespace mediarig::agent
