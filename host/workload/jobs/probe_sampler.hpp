// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a bare medium as the quick probe sees it, past every cache of the host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/payload/pattern.hpp"

namespace mediarig::workload {

class ProbedMedium {
public:
    virtual ~ProbedMedium() = default;
    [[nodiscard]] virtual Bytes size() const = 0;   ///< as it claims
    [[nodiscard]] virtual Bytes sector() const = 0; ///< offsets and lengths are whole ones; at least 512
    /// errno; 0 when every byte was moved.
    [[nodiscard]] virtual int write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
    [[nodiscard]] virtual int read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    [[nodiscard]] virtual int flush() = 0;
    /// After an error: it is no longer there.
    [[nodiscard]] virtual bool gone(int error) const = 0;
    /// After an error: the host did it, and nothing follows for the medium.
    [[nodiscard]] virtual std::optional<Error> host_fault() const { return {}; }
};

/// Writes stamped blocks and says what became of them. Inner part of the quick probe.

/// A stretch of the medium.
struct Extent {
    std::uint64_t begin{}, end{};
    [[nodiscard]] bool holds(std::uint64_t offset) const { return offset >= begin && offset < end; }
    bool operator==(const Extent&) const = default;
};

/// What one block holds that was written in this round.
struct Sample {
    enum class State : std::uint8_t {
        good,
        overwritten, ///< by something of this probe that belongs further up
        echo,        ///< holds something of this probe that belongs further down
        stale,       ///< holds an older write to the same place
        blank,       ///< one byte repeated
        noise,       ///< something else
        failed,      ///< the transfer failed
    };
    std::uint64_t offset{};
    State state{State::good};   ///< of the first sector that is not good
    std::uint64_t good_bytes{}; ///< before that sector
    /// For overwritten and echo: how far away its content belongs.
    std::uint64_t distance{};
    [[nodiscard]] bool good() const { return state == State::good; }
};

/// Errors are cancelled, no_medium and those of the permit to write; a transfer that fails is something to know about
/// the medium.
class ProbeSampler {
public:
    /// Stamps say at which position and in which round they were written; rounds count up from `generation`.
    [[nodiscard]] static Result<ProbeSampler> create(ProbedMedium& medium, std::uint64_t seed, std::uint32_t generation,
                                                     JobControl& control);

    [[nodiscard]] Bytes block() const { return block_; } ///< of one sample
    [[nodiscard]] Bytes size() const { return size_; }   ///< in whole blocks

    /// What is written from now on is told apart from everything before.
    void begin_round();
    [[nodiscard]] Result<void> write(std::span<const std::uint64_t> offsets);
    [[nodiscard]] Result<void> flush();
    /// Fills `run` with stamps, in order. With a recorder, each transfer is timed.
    [[nodiscard]] Result<void> write_run(Extent run, Recorder* recorder = nullptr);
    /// A block that was written in this round, judged.
    [[nodiscard]] Result<Sample> read(std::uint64_t offset);
    [[nodiscard]] Result<std::vector<Sample>> read(std::span<const std::uint64_t> offsets);

    /// A stamp of this probe, wherever it was found.
    struct Stamp {
        std::uint64_t at{};         ///< offset of the sector that holds it
        std::uint64_t belongs_at{}; ///< of that sector
        std::uint32_t generation{};
    };
    /// The first stamp in the block that holds `offset`, from `offset` on.
    [[nodiscard]] Result<std::optional<Stamp>> stamp_at(std::uint64_t offset);
    /// Whether two blocks hold the same bytes.
    [[nodiscard]] Result<bool> same_content(std::uint64_t a, std::uint64_t b);

    static constexpr Bytes run_transfer{std::uint64_t{1} << 20};

    [[nodiscard]] std::uint32_t generation() const { return generation_; }
    [[nodiscard]] Bytes written() const { return written_; }
    [[nodiscard]] Bytes bytes_read() const { return read_; }
    [[nodiscard]] std::uint64_t rounds() const { return generation_ - first_generation_; }
    /// Transfers of runs that failed, ascending within each run.
    [[nodiscard]] const std::vector<Extent>& failed_runs() const { return failed_runs_; }

private:
    ProbeSampler(ProbedMedium& medium, std::uint64_t seed, std::uint32_t generation, JobControl& control,
                 TransferBuffer buffer);
    [[nodiscard]] Result<void> after(int error);
    /// Reads the block at `offset` into the buffer, sector by sector where it does not come whole; which came.
    [[nodiscard]] Result<std::vector<bool>> fetch(std::uint64_t offset);
    [[nodiscard]] std::optional<Pattern::Place> stamp_in(std::span<const std::byte> sector) const;
    [[nodiscard]] Sample::State judge(std::span<const std::byte> sector, std::uint64_t offset,
                                      std::uint64_t& distance) const;

    ProbedMedium* medium_;
    JobControl* control_;
    TransferBuffer buffer_;
    Pattern pattern_;
    std::uint64_t seed_;
    std::uint32_t first_generation_;
    std::uint32_t generation_;
    Bytes block_, size_;
    Bytes written_, read_;
    std::vector<std::uint64_t> failed_writes_; ///< sectors, of this round
    std::vector<Extent> failed_runs_;
};

/// Where the quick probe looks. Pure.
///
/// A run is a contiguous stretch that is written for two reasons. It drives older data out of a volatile cache. And on
/// a medium whose addresses wrap, a run at the very top lands somewhere below as a whole, so that reading one block in
/// every run's length finds it: of the modulus nothing need be known before.
struct ProbeLayout {
    Extent run;                         ///< just below the last block; at most a quarter of the medium
    std::vector<std::uint64_t> samples; ///< ascending; the first and the last block are among them; none in the run
    std::vector<std::uint64_t> looks;   ///< where the run would show up again: from the top down, then near 0
};

/// Needs size >= 8 MiB, in whole blocks. `seed` moves the samples about, so that no medium can know them.
[[nodiscard]] ProbeLayout probe_layout(Bytes size, Bytes block, Bytes assumed_cache, std::uint64_t seed);

/// The same with a run of `length` or a quarter of the medium, whichever is less; it ends where it did. Samples that
/// are now within the run are gone.
void lengthen_run(ProbeLayout& layout, Bytes size, Bytes block, Bytes length);

/// How long a run takes `time` on a medium that took `took` for the first `written` of it: between those and `most`.
[[nodiscard]] Bytes run_that_fits(Bytes written, std::chrono::nanoseconds took, std::chrono::nanoseconds time,
                                  Bytes most);

/// Where a run would show up again if the addresses of the medium wrap; see ProbeLayout::looks.
[[nodiscard]] std::vector<std::uint64_t> looks_for(Extent run, Bytes block);

/// A run of the length of `layout.run` that touches nothing in [from, to); above it where there is room, because a
/// medium may cache only what it cannot keep.
[[nodiscard]] Extent run_beside(const ProbeLayout& layout, Bytes size, Bytes block, std::uint64_t from,
                                std::uint64_t to);

} // namespace mediarig::workload
