// SPDX-License-Identifier: GPL-3.0-or-later
/// The two passes of a verify job over one span. Inner part.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/damage.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/jobs/pass_pace.hpp"
#include "host/workload/jobs/relay.hpp"
#include "host/workload/jobs/verify_span.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// Position of an earlier attempt on the same bare device.
struct VerifyProgress {
    Bytes written; ///< bytes written and flushed, from the start
    Bytes read;    ///< bytes read back without faults, from the start
    bool all_written{};
};
/// Ignores a position that is no multiple of `chunk` or exceeds `size`.
[[nodiscard]] VerifyProgress progress_in(const std::vector<PreviousCell>& done, Bytes chunk, Bytes size);

class VerifyPasses {
public:
    VerifyPasses(const TickClock& clock, const JobSpec& job, const BackingDevice& device, VerifySpan& span, Bytes unit,
                 Relay& write_relay, Relay& read_relay, VerifyProgress before, JobControl& control, Reporter& reporter);

    [[nodiscard]] Result<void> write_all();
    [[nodiscard]] Result<void> read_all();
    [[nodiscard]] VerifyOutcome take_outcome();

    /// On a bare device, a pass flushes and reports its position each time this number of bytes has passed without a
    /// fault, so that an interrupted job can continue from there.
    static constexpr Bytes checkpoint_every{std::uint64_t{256} << 20};

private:
    /// One of the two passes, with a separate clock.
    struct Phase {
        Phase(VerifyPasses& passes, Access access, const char* id, Bytes volume);
        IoErrors errors;
        Recorder recorder;
        std::optional<BackingDevice::Totals> counters;
        CellResult result;
        PassPace pace;
    };

    /// Returns true if the data before `end` of a bare device can still be read. A counterfeit still responds at places
    /// with real memory. A device that does not respond even there has died, and its contents are unknown.
    [[nodiscard]] bool still_responds(Bytes end);
    /// Samples a bare device to check that it still contains the data of an earlier attempt: any format or test since
    /// then has written its start. Unreadable samples are left to the reading pass.
    [[nodiscard]] bool has_written_start();
    /// Continues an earlier attempt, or starts again if the data of that attempt is no longer on the device; reports
    /// the choice.
    void resume_or_restart();
    [[nodiscard]] CellSpec cell_of(Access access, const char* id, Bytes volume) const;
    [[nodiscard]] Bytes chunk_at(std::uint64_t offset, Bytes end) const;
    void make_payload();
    [[nodiscard]] Result<void> write_chunks(Phase& phase);
    void report_full(std::uint64_t offset);
    [[nodiscard]] Result<void> finish_writing(Phase& phase);
    void flush(Phase& phase);
    static void record(Phase& phase, std::uint64_t offset, Bytes moved, Ticks start, Ticks finish);
    [[nodiscard]] Result<void> read_chunks(Phase& phase);
    [[nodiscard]] bool find_unreadable(const VerifySpan::Place& place, Chunk& chunk, Phase& phase);
    void check_chunks();
    /// Reports that the pass has reached `position`, if that is sufficiently beyond the last report.
    void checkpoint(Phase& phase, Bytes position);
    [[nodiscard]] Result<void> conclude(Phase& phase, const Result<void>& so_far);
    [[nodiscard]] Result<void> interrupted_job(const IoErrors& errors) const;
    [[nodiscard]] static Result<void> cancelled();

    const TickClock& clock_;
    const JobSpec& job_;
    const BackingDevice& device_;
    VerifySpan& span_;
    Bytes unit_;
    Relay& write_relay_;
    Relay& read_relay_;
    VerifyProgress before_;
    JobControl& control_;
    Reporter& reporter_;
    PayloadSource payload_;
    VerifyOutcome outcome_;
    DamageMap damage_;
    Bytes told_; ///< position of the last checkpoint of this pass
    /// All checked data below this offset is good; written by the checking thread.
    std::atomic<std::uint64_t> good_up_to_{0};
    int flush_error_{};
    std::optional<Error> host_error_; ///< the reason of a failed flush if this host is the cause
    bool below_dropped_{true};        ///< no cache of this host below the device can have served the reads
};

/// Joins on every path out of the scope. The relay must have been stopped before.
class VerifyHelper {
public:
    explicit VerifyHelper(std::function<void()> work) : thread_(std::move(work)) {}
    ~VerifyHelper() { join(); }
    VerifyHelper(const VerifyHelper&) = delete;
    VerifyHelper& operator=(const VerifyHelper&) = delete;
    void join() {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::thread thread_;
};

/// Checks one chunk that was read back: adds its faults to `damage`, sector by sector. Returns the number of correct
/// bytes. Requires offset and length in whole 512-byte sectors. Pure.
[[nodiscard]] Bytes check_chunk(const Chunk& chunk, const PayloadSource& payload, DamageMap& damage);

} // namespace mediarig::workload
