// SPDX-License-Identifier: GPL-3.0-or-later
/// The two passes of a verify job over one span. Inner part.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/rate_limit.hpp"
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
                 Relay& write_relay, Relay& read_relay, VerifyProgress before, JobControl& control, Reporter& reporter,
                 std::optional<DataLabel> label);

    [[nodiscard]] Result<void> write_all();
    [[nodiscard]] Result<void> read_all();
    /// Call it before the span is closed. Fails like the passes.
    [[nodiscard]] Result<VerifyOutcome> take_outcome();
    /// False if a write failed or the medium could not be flushed: then a loss of power would hide the cause.
    [[nodiscard]] bool wrote_without_fault() const { return !refused_ && unwritten_.empty() && flush_error_ == 0; }
    /// The outcome of the writing pass alone, without a verdict.
    [[nodiscard]] VerifyOutcome take_written() { return std::move(outcome_); }

    /// On a bare device, a pass flushes and reports its position each time this number of bytes has passed without a
    /// fault, so that an interrupted job can continue from there.
    static constexpr Bytes checkpoint_every{std::uint64_t{256} << 20};

private:
    /// One of the two passes, with a separate clock. It is stopped while the other thread makes or checks data.
    struct Phase {
        Phase(VerifyPasses& passes, Access access, const char* id, Bytes volume);
        IoErrors errors;
        Recorder recorder;
        std::optional<BackingDevice::Totals> counters;
        CellResult result;
        PassPace pace;
    };

    /// Writes and reads back the start of the span again if the data beyond some position were lost. A fake keeps data
    /// below its real capacity at any time. A medium that has stopped storing or returning data, or that refuses
    /// writes, is defective: its lost end is then no evidence of a fake, and a finding gives the reason.
    ///
    /// Data beyond that position that were read back equal may have been in a cache of the medium. In this case, more
    /// data than they are is written first to the lost part and to the start, which displaces them, and they are read
    /// once more. A fake loses them; a medium that keeps more than a tenth of the part is damaged.
    [[nodiscard]] Result<void> confirm_capacity();
    /// A part of the span.
    struct SpanPart {
        Bytes begin, end;
    };
    /// Writes `part` with the data of `payload` and flushes. Returns the errno of the first failed write or flush, 0 if
    /// there was none.
    [[nodiscard]] Result<int> overwrite(SpanPart part, const PayloadSource& payload, IoErrors& errors);
    /// Reads `part` past all caches of this host. Returns the number of bytes that are equal to the data of `payload`.
    [[nodiscard]] Result<Bytes> bytes_equal(SpanPart part, const PayloadSource& payload, IoErrors& errors);
    /// Records a failed transfer. Fails if the medium is lost, if this host is the cause, or if the failures took too
    /// long.
    [[nodiscard]] Result<void> failed_again(IoErrors& errors, bool writing, SpanPart part, int error, Ticks begun);
    /// Samples of the data that an earlier attempt wrote to a bare device, including the first and the last chunk.
    struct WrittenSamples {
        std::uint64_t read{};    ///< without unreadable samples, which are left to the reading pass
        std::uint64_t whole{};   ///< contain the written data
        std::uint64_t in_part{}; ///< contain at least one written sector; includes `whole`
    };
    [[nodiscard]] WrittenSamples sample_written();
    /// Continues an earlier attempt, or starts again if the data of that attempt is no longer on the device; reports
    /// the choice.
    void resume_or_restart();
    /// Fails with no_medium if a medium that lost its power contains none of the written data: it may be another one,
    /// and the confirmation of a capacity would write to it.
    [[nodiscard]] Result<void> check_returned();
    [[nodiscard]] CellSpec cell_of(Access access, const char* id, Bytes volume) const;
    /// Offset on the medium, for reports; all other offsets are relative to the span.
    [[nodiscard]] std::uint64_t on_medium(std::uint64_t offset) const { return span_.begin().count + offset; }
    /// Converts the offsets of damaged places and of the capacity.
    void convert_offsets();
    [[nodiscard]] Bytes chunk_at(std::uint64_t offset, Bytes end) const;
    void make_payload();
    [[nodiscard]] Result<void> write_chunks(Phase& phase);
    /// Result of a chunk whose write failed, after its parts were written one by one.
    enum class PartsResult : std::uint8_t {
        some_written,
        none_written,
        stopped ///< by the error policy, a lost medium or cancel
    };
    [[nodiscard]] PartsResult write_parts(const VerifySpan::Place& place, const Chunk& chunk, Phase& phase);
    void add_unwritten(Bytes offset, Bytes length);
    /// After several chunks without any accepted write: true if the medium also refuses a write at a place that it
    /// accepted before.
    [[nodiscard]] Result<bool> refuses_all_writes(const Chunk& chunk);
    void report_refused(Phase& phase, Bytes offset);
    void report_full(std::uint64_t offset);
    [[nodiscard]] Result<void> finish_writing(Phase& phase);
    void flush(Phase& phase);
    static void record(Phase& phase, std::uint64_t offset, Bytes moved, Ticks start, Ticks finish);
    [[nodiscard]] Result<void> read_chunks(Phase& phase);
    [[nodiscard]] bool find_unreadable(const VerifySpan::Place& place, Chunk& chunk, Phase& phase);
    void check_chunks();
    /// Adds the damaged data of a checked chunk to the progress of the job, without failed transfers.
    void report_damage(const Chunk& chunk, Bytes good);
    /// Waits outside of the measured time.
    void wait_for_rate(Phase& phase, Bytes next);
    /// Reports that the pass has reached `position`, if that is sufficiently beyond the last report.
    void checkpoint(Phase& phase, Bytes position);
    [[nodiscard]] Result<void> conclude(Phase& phase, const Result<void>& so_far);
    /// Fails with host_fault if the bare device wrote more than this pass: another program wrote to it. No error if
    /// this is unknown: after failed transfers, with the page cache, and for a directory.
    [[nodiscard]] Result<void> check_sole_writer(const Phase& phase) const;
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
    RateLimit rate_;
    VerifyOutcome outcome_;
    Bytes end_; ///< of the part of the span that was written, or whose writes failed
    DamageMap damage_;
    bool stores_no_longer_{};               ///< confirm_capacity() has found that the medium keeps no new data
    std::vector<DamagedRange> unwritten_;   ///< places whose write failed, ascending; complete before the reading pass
    Bytes unwritten_bytes_;                 ///< sum of these places
    std::optional<std::uint64_t> accepted_; ///< a chunk that was written without an error
    bool refused_{};                        ///< the medium refuses all writes; the span ends before them
    Bytes told_;                            ///< position of the last checkpoint of this pass
    /// All checked data below this offset is good; written by the checking thread.
    std::atomic<std::uint64_t> good_up_to_{0};
    int flush_error_{};
    std::optional<Error> host_error_; ///< the reason of a failed flush if this host is the cause
    bool page_cache_emptied_{true};   ///< before the reading pass, or the reads did not use it
    bool below_dropped_{true};        ///< no cache of this host below the device can have served the reads
};

/// Joins the helper thread on every path out of the scope. The relay must have been stopped before.
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
/// bytes. Requires offset and length in whole 512-byte sectors. `unwritten`: places whose write failed, ascending.
/// Pure.
[[nodiscard]] Bytes check_chunk(const Chunk& chunk, const PayloadSource& payload, DamageMap& damage,
                                std::span<const DamagedRange> unwritten = {});

} // namespace mediarig::workload
