// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a bare medium as seen by the quick probe, without any cache of the host.
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

/// A range of offsets on the medium.
struct Extent {
    std::uint64_t begin{}, end{};
    [[nodiscard]] bool holds(std::uint64_t offset) const { return offset >= begin && offset < end; }
    bool operator==(const Extent&) const = default;
};

/// A bare medium that is only read, without any cache of the host.
class ReadableMedium {
public:
    virtual ~ReadableMedium() = default;
    [[nodiscard]] virtual Bytes size() const = 0;   ///< claimed size
    [[nodiscard]] virtual Bytes sector() const = 0; ///< offsets and lengths are multiples of it; at least 512
    /// Returns 0 if every byte was transferred, otherwise an errno.
    [[nodiscard]] virtual int read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    /// After an error: true if the medium is no longer present, or no longer answers at any place.
    [[nodiscard]] virtual bool gone(int error) = 0;
};

class ProbedMedium : public ReadableMedium {
public:
    /// Announces writes, outside of timed transfers; more places may be announced than written. Fails with no_medium
    /// and host_fault. A medium that restores its content saves it here.
    [[nodiscard]] virtual Result<void> prepare(std::span<const Extent> places) {
        (void)places;
        return {};
    }
    /// Writes the present content of this part to it again, except for announced places. Fails with bad_request (this
    /// medium does not keep its content), no_medium, io_failed and host_fault.
    [[nodiscard]] virtual Result<void> refresh(Extent part) {
        (void)part;
        return fail(Errc::bad_request, "a medium whose data are destroyed is not refreshed");
    }
    /// Returns 0 if every byte was transferred, otherwise an errno.
    [[nodiscard]] virtual int write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
    [[nodiscard]] virtual int flush() = 0;
    /// After an error: the fault of the host that caused it. The error is then no evidence about the medium.
    [[nodiscard]] virtual std::optional<Error> host_fault() const { return {}; }
    /// After an error: true if the failed transfers have taken longer than the job permits.
    [[nodiscard]] virtual bool fails_too_slowly() const { return false; }
};

/// State of one block that this round of the probe wrote.
struct Sample {
    enum class State : std::uint8_t {
        good,
        overwritten, ///< contains data of this probe that belongs to a higher offset
        echo,        ///< contains data of this probe that belongs to a lower offset
        stale,       ///< contains an older write to the same place
        blank,       ///< contains one repeated byte
        noise,       ///< contains other data
        failed,      ///< the read failed
        unwritten,   ///< the write failed
    };
    std::uint64_t offset{};
    State state{State::good};   ///< state of the first bad sector
    std::uint64_t good_bytes{}; ///< before that sector
    /// For overwritten and echo: distance to the place where the contents belong.
    std::uint64_t distance{};
    [[nodiscard]] bool good() const { return state == State::good; }
};

/// Fails with cancelled, no_medium and the errors of the write permit. A failed transfer is a result and not an error.
class ProbeSampler {
public:
    /// Stamps contain the offset and the round of their write. Round numbers start at `generation`.
    [[nodiscard]] static Result<ProbeSampler> create(ProbedMedium& medium, std::uint64_t seed, std::uint32_t generation,
                                                     JobControl& control);

    [[nodiscard]] Bytes block() const { return block_; } ///< size of one sample
    [[nodiscard]] Bytes size() const { return size_; }   ///< whole blocks only

    /// Begins a new round: further writes are distinguishable from all earlier writes.
    void begin_round();
    [[nodiscard]] Result<void> write(std::span<const std::uint64_t> offsets);
    [[nodiscard]] Result<void> flush();
    /// Writes the block at `offset`, which this probe has written before, with new data. Returns false if the medium
    /// refuses it.
    [[nodiscard]] Result<bool> accepts_write(std::uint64_t offset);
    /// Fills `run` with stamps in ascending order. With a recorder, each transfer is timed.
    [[nodiscard]] Result<void> write_run(Extent run, Recorder* recorder = nullptr);
    /// See ProbedMedium::refresh().
    [[nodiscard]] Result<void> refresh(Extent part);
    /// Reads and classifies a block that was written in this round.
    [[nodiscard]] Result<Sample> read(std::uint64_t offset);
    [[nodiscard]] Result<std::vector<Sample>> read(std::span<const std::uint64_t> offsets);

    /// A stamp of this probe, at any place.
    struct Stamp {
        std::uint64_t at{};         ///< offset of the sector that contains it
        std::uint64_t belongs_at{}; ///< offset where that sector belongs
        std::uint32_t generation{};
    };
    /// Returns the first stamp at or after `offset` in the block of `offset`.
    [[nodiscard]] Result<std::optional<Stamp>> stamp_at(std::uint64_t offset);
    /// Returns true if two blocks have the same contents.
    [[nodiscard]] Result<bool> same_content(std::uint64_t a, std::uint64_t b);

    static constexpr Bytes run_transfer{std::uint64_t{1} << 20};
    /// Part of a run that is announced to the medium at once.
    static constexpr Bytes prepared_at_once{std::uint64_t{16} << 20};

    [[nodiscard]] std::uint32_t generation() const { return generation_; }
    [[nodiscard]] Bytes written() const { return written_; } ///< accepted by the medium
    [[nodiscard]] Bytes bytes_read() const { return read_; }
    [[nodiscard]] std::uint64_t rounds() const { return generation_ - first_generation_; }
    /// Places of runs that could not be written, ascending within each run.
    [[nodiscard]] const std::vector<Extent>& failed_runs() const { return failed_runs_; }

private:
    ProbeSampler(ProbedMedium& medium, std::uint64_t seed, std::uint32_t generation, JobControl& control,
                 TransferBuffer buffer);
    [[nodiscard]] Result<void> prepare(std::span<const Extent> places);
    /// Called after each transfer; `error`: its errno.
    [[nodiscard]] Result<void> after(int error, bool writing, std::uint64_t offset);
    /// Writes the blocks of a failed transfer of a run one by one.
    [[nodiscard]] Result<void> write_parts(std::span<const std::byte> bytes, std::uint64_t offset);
    void add_failed(Extent part);
    /// Reads the block at `offset` into the buffer, sector by sector if a single read fails. Returns which sectors were
    /// read.
    [[nodiscard]] Result<std::vector<bool>> fetch(std::uint64_t offset);
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
    std::vector<std::uint64_t> failed_writes_; ///< failed sectors of this round
    std::vector<Extent> failed_runs_;
};

/// Places on both sides of the capacities at which addresses of fakes wrap: 2^k bytes, and 3 * 2^k bytes for chips with
/// three planes. Ascending. A place at such a capacity is an alias of the first block. The places 2^k, from one block,
/// also differ from the first one in a single address bit: if a bit is ignored, one of them overwrites the first block.
[[nodiscard]] std::vector<std::uint64_t> boundary_places(Bytes size, Bytes block);

/// The positions that the quick probe writes and reads. Pure.
///
/// A run is a contiguous range that is written for two reasons. It drives older data out of a volatile cache. On a
/// medium whose addresses wrap, a run at the very top appears as a whole somewhere below, so reading one block per run
/// length finds it without knowledge of the modulus.
struct ProbeLayout {
    Extent run;                         ///< just below the last block; at most half of the medium
    std::vector<std::uint64_t> samples; ///< ascending; includes the first and the last block, none in the run
    std::vector<std::uint64_t> looks;   ///< where a wrapped run appears: from the top down, then near 0
};

/// Requires size >= 8 MiB, in whole blocks. `seed` varies the samples, so that no medium can predict them. `more`:
/// additional samples.
[[nodiscard]] ProbeLayout probe_layout(Bytes size, Bytes block, Bytes assumed_cache, std::uint64_t seed,
                                       std::span<const std::uint64_t> more = {});

/// Replaces the run by a run of `length` or half of the medium, whichever is less, with the same end. Removes the
/// samples that are now within the run.
void lengthen_run(ProbeLayout& layout, Bytes size, Bytes block, Bytes length);

/// Returns the length of a run that takes `time`, from `written` to `most`. The medium needed `took` for the first
/// `written` bytes of the run.
[[nodiscard]] Bytes largest_run_within(Bytes written, std::chrono::nanoseconds took, std::chrono::nanoseconds time,
                                       Bytes most);

/// The places where a run appears if the addresses of the medium wrap; see ProbeLayout::looks.
[[nodiscard]] std::vector<std::uint64_t> looks_for(Extent run, Bytes block);

/// A run of the length of `layout.run` outside [from, to). It is above that range if possible, because a medium may
/// cache only the data that it cannot keep.
[[nodiscard]] Extent sample_run_around(const ProbeLayout& layout, Bytes size, Bytes block, std::uint64_t from,
                                       std::uint64_t to);

} // namespace mediarig::workload
