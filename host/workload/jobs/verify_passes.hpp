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

/// How far an earlier attempt came on the same bare device.
struct VerifyProgress {
    Bytes written; ///< from the beginning, and flushed
    Bytes read;    ///< and found good
    bool all_written{};
};
/// A position that is not whole chunks of `chunk`, or more than `size`, is not believed.
[[nodiscard]] VerifyProgress progress_in(const std::vector<DoneCell>& done, Bytes chunk, Bytes size);

class VerifyPasses {
public:
    VerifyPasses(const TickClock& clock, const JobSpec& job, const BackingDevice& device, VerifySpan& span, Bytes unit,
                 Relay& write_relay, Relay& read_relay, VerifyProgress before, JobControl& control, Reporter& reporter);

    [[nodiscard]] Result<void> write_all();
    [[nodiscard]] Result<void> read_all();
    [[nodiscard]] VerifyOutcome take_outcome();

    /// On a bare device, after so many bytes without a fault, a pass is flushed and tells how far it is: an interrupted
    /// job goes on from there.
    static constexpr Bytes checkpoint_every{std::uint64_t{256} << 20};

private:
    /// One of the two passes, on a clock of its own.
    struct Phase {
        Phase(VerifyPasses& passes, Access access, const char* id, Bytes volume);
        IoErrors errors;
        Recorder recorder;
        std::optional<BackingDevice::Totals> counters;
        CellResult result;
        PassPace pace;
    };

    /// Whether what lies before `end` of a bare device can still be read. A counterfeit goes on answering where it has
    /// memory; one that does not even there has died, and what it holds is not known.
    [[nodiscard]] bool still_answers(Bytes end);
    /// Whether a bare device holds what an earlier attempt wrote, by samples: whatever formats or tests it again writes
    /// at its beginning. What cannot be read is left to the reading pass.
    [[nodiscard]] bool holds_what_was_written();
    /// Goes on with what an earlier attempt did, or begins anew where that is no longer on the device; tells which.
    void take_up();
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
    /// Tells that the pass has come to `position`, if that is far enough beyond the last time.
    void checkpoint(Phase& phase, Bytes position);
    [[nodiscard]] Result<void> conclude(Phase& phase, const Result<void>& so_far);
    [[nodiscard]] Result<void> broken_off(const IoErrors& errors) const;
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
    /// All that was checked lies below and is good; written by the checking thread.
    std::atomic<std::uint64_t> good_up_to_{0};
    int flush_error_{};
    std::optional<Error> of_host_; ///< why a flush failed, where this host is to blame
    bool below_dropped_{true};     ///< no cache of this host below the device can have answered
};

/// Joins on every way out; the relay must have been told to end before.
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

/// Checking one chunk that was read back. Pure.

/// Adds what is wrong in `chunk` to `damage`, sector by sector; returns how many bytes are right.
/// Needs offset and length to be whole 512-byte sectors.
[[nodiscard]] Bytes check_chunk(const Chunk& chunk, const PayloadSource& payload, DamageMap& damage);

} // namespace mediarig::workload
