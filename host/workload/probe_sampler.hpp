// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes stamped blocks and says what became of them. Inner part of the quick probe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/workload/job.hpp"
#include "host/workload/pattern.hpp"
#include "host/workload/platform/buffer.hpp"
#include "host/workload/probe_medium.hpp"
#include "host/workload/recorder.hpp"

namespace mediarig::workload {

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

} // namespace mediarig::workload
