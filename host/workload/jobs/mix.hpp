// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs mixes of reads and writes over files of one size.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/split_mix.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// As run_job, for a job with a mix. A cell goes into `reporter` for each direction that it has, with ids that end in
/// ".read" and ".write": both have the time of the whole mix. Of rounds, the cell sums up the last window, its
/// latencies are of that, and its series has a sample for each round.
[[nodiscard]] Result<void> run_mix(const System& system, const JobSpec& job, const Target& target,
                                   const std::vector<DoneCell>& already_done, JobControl& control, Reporter& reporter);

/// The files of a mix: equal ones in a work folder, or as many parts of a raw device.
class MixFiles {
public:
    /// Makes the files, empty. Fails with bad_request where they do not fit.
    [[nodiscard]] static Result<MixFiles> open(const System& system, const JobSpec& job, const Target& target,
                                               Reporter& reporter);

    struct Place {
        MediumFile* file;
        std::uint64_t offset; ///< in that file
    };
    /// Of a byte of file `index`.
    [[nodiscard]] Place at(std::uint32_t index, std::uint64_t offset) const {
        return raw() ? Place{files_.front().get(), index * size_.count + offset} : Place{files_[index].get(), offset};
    }
    /// Each once: one on a raw device.
    [[nodiscard]] const std::vector<std::unique_ptr<MediumFile>>& files() const { return files_; }
    /// What a flush of file `index` goes to: on a raw device the device, again for each.
    [[nodiscard]] const MediumFile& flushed(std::uint32_t index) const {
        return raw() ? *files_.front() : *files_[index];
    }
    /// How much of each of files() belongs to the mix.
    [[nodiscard]] Bytes length() const { return raw() ? size_ * count_ : size_; }

    /// Requests go to mappings of the files from now on, until unmap(). Fails with bad_request where the file system
    /// has none.
    [[nodiscard]] Result<void> map();
    void unmap();

    [[nodiscard]] Result<void> remove();

private:
    [[nodiscard]] bool raw() const { return !folder_; }

    std::unique_ptr<WorkFolder> folder_; ///< null on a raw device
    std::vector<std::unique_ptr<MediumFile>> files_;
    std::uint32_t count_{};
    Bytes size_;
};

/// The requests of one cell of a mix, one at a time. Inner part.
class MixLoop {
public:
    struct Parts {
        MixFiles& files;
        const PayloadSource& payload;
        Recorder& reads; ///< both run all the time: a request that is no read is idle time to the reads
        Recorder& writes;
        IoErrors& errors;
        JobControl& control;
        /// Called where so many requests were made as the files hold, if reading is to come from the medium: what they
        /// touched goes from memory again. Empty where it is not, or not asked for.
        std::function<void()> forget{};
    };
    /// `buffer` has room for a block, or for each request of the backlog where there is a `queue` (else null). `seed`:
    /// of the random places.
    MixLoop(const JobSpec& job, const MixCell& cell, Parts parts, std::span<std::byte> buffer, RequestQueue* queue,
            std::uint64_t seed);

    /// Fails as the permit does. Ends with the recorders paused.
    [[nodiscard]] Result<CellEnd> run();
    [[nodiscard]] std::uint64_t syncs() const { return syncs_; }
    /// Of what was read (written), what memory may have answered for (need not have written twice): places that were
    /// touched (written) since memory was last emptied.
    [[nodiscard]] Bytes repeated(bool writing) const { return writing ? rewritten_ : reread_; }

private:
    struct Where {
        std::uint32_t file{};
        std::uint64_t offset{};
    };
    [[nodiscard]] bool writes_next() const;
    [[nodiscard]] Where next_place();
    /// The next request, as it is to be made.
    struct Next {
        bool writing{};
        MixFiles::Place place;
        std::uint64_t of_all{}; ///< its place, counted over all files
    };
    [[nodiscard]] Result<Next> next();
    /// One request from its begin to its end. False: stop.
    [[nodiscard]] Result<bool> request();
    /// Begins one, and waits for others where the backlog is full. False: stop.
    [[nodiscard]] Result<bool> submit();
    /// Until at least so many of those under way are done. False: stop.
    [[nodiscard]] Result<bool> take_done(std::uint32_t least);
    [[nodiscard]] Result<bool> took(const Next& made, std::span<std::byte> bytes, Moved moved, Ticks start,
                                    Ticks finish);
    /// Of both recorders.
    void resume(Ticks now);
    void pause(Ticks now);
    [[nodiscard]] Result<CellEnd> run_requests();
    [[nodiscard]] bool sync_next_file();
    [[nodiscard]] bool flush(const MediumFile& file, std::uint64_t length);
    void note(const Next& made, std::uint64_t length);
    [[nodiscard]] Result<void> forget_what_was_touched();

    const JobSpec& job_;
    const MixJob& mix_;
    const MixCell& cell_;
    Parts parts_;
    const TickClock& clock_;
    std::span<std::byte> buffer_;
    RequestQueue* queue_;
    struct UnderWay {
        Next made;
        std::span<std::byte> bytes;
        Ticks start{};
    };
    std::vector<UnderWay> under_way_;   ///< by the part of the buffer that each uses
    std::vector<std::uint32_t> unused_; ///< parts of the buffer
    std::vector<RequestQueue::Done> done_;
    SplitMix random_;
    std::uint64_t reads_{}, writes_{};           ///< begun so far
    std::uint64_t reads_done_{}, writes_done_{}; ///< whatever became of them
    Where next_{};
    bool dirty_{};
    std::uint32_t next_synced_{};
    std::uint64_t syncs_{};
    // By block, where the page cache is in the way.
    std::vector<bool> touched_, written_;
    Bytes reread_, rewritten_;
    std::uint64_t since_forgotten_{};
};

} // namespace mediarig::workload
