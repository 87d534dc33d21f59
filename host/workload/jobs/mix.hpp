// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs mixes of reads and writes on files of one size.
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

/// Like run_job, for a job with a mix. It delivers one cell per direction to `reporter`, with ids that end in ".read"
/// and ".write"; both have the time of the whole mix. With rounds, the cell and its latencies cover the last window,
/// and its series has a sample per round.
[[nodiscard]] Result<void> run_mix(const System& system, const JobSpec& job, const JobTarget& target,
                                   const std::vector<PreviousCell>& already_done, JobControl& control,
                                   Reporter& reporter);

/// The files of a mix: equal files in a work folder, or equal parts of a raw device.
class MixFiles {
public:
    /// Creates the files, empty. Fails with bad_request if they do not fit.
    [[nodiscard]] static Result<MixFiles> open(const System& system, const JobSpec& job, const JobTarget& target,
                                               Reporter& reporter);

    struct Place {
        MediumFile* file;
        std::uint64_t offset; ///< offset in that file
    };
    /// The place of a byte of file `index`.
    [[nodiscard]] Place at(std::uint32_t index, std::uint64_t offset) const {
        return raw() ? Place{files_.front().get(), index * size_.count + offset} : Place{files_[index].get(), offset};
    }
    /// Returns the distinct files; on a raw device the device alone.
    [[nodiscard]] const std::vector<std::unique_ptr<MediumFile>>& files() const { return files_; }
    /// Returns the file to flush for `index`; on a raw device it is always the device.
    [[nodiscard]] const MediumFile& flushed(std::uint32_t index) const {
        return raw() ? *files_.front() : *files_[index];
    }
    /// The length of the part of each of files() that belongs to the mix.
    [[nodiscard]] Bytes length() const { return raw() ? size_ * count_ : size_; }

    /// From now on requests access mappings of the files, until unmap(). Fails with bad_request if the file system does
    /// not support mappings.
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

/// The requests of one cell of a mix, in sequence. Inner part.
class MixLoop {
public:
    struct Parts {
        MixFiles& files;
        const PayloadSource& payload;
        Recorder& reads; ///< both recorders always run: for the read recorder, a write is idle time
        Recorder& writes;
        IoErrors& errors;
        JobControl& control;
        /// Drops the accessed pages from memory. Called after as many requests as the files have blocks, if reads must
        /// come from the medium. Empty if that is not needed or not requested.
        std::function<void()> forget{};
    };
    /// `buffer` has space for one block, or for each request of the backlog if `queue` is not null. `seed`: start value
    /// of the random offsets.
    MixLoop(const JobSpec& job, const MixCell& cell, Parts parts, std::span<std::byte> buffer, RequestQueue* queue,
            std::uint64_t seed);

    /// Fails with the error of the permit. Ends with paused recorders.
    [[nodiscard]] Result<CellEnd> run();
    [[nodiscard]] std::uint64_t syncs() const { return syncs_; }
    /// The number of bytes that memory may have served (reads) or that the kernel may have merged (writes). Their
    /// places were accessed or written before, since memory was last emptied.
    [[nodiscard]] Bytes repeated(bool writing) const { return writing ? rewritten_ : reread_; }

private:
    struct FileOffset {
        std::uint32_t file{};
        std::uint64_t offset{};
    };
    [[nodiscard]] bool writes_next() const;
    [[nodiscard]] FileOffset next_place();
    /// The parameters of the next request.
    struct RequestParameters {
        bool writing{};
        MixFiles::Place place;
        std::uint64_t of_all{}; ///< offset of the request over all files
    };
    [[nodiscard]] Result<RequestParameters> next();
    /// Executes one request completely. Returns false if the job must stop.
    [[nodiscard]] Result<bool> request();
    /// Submits one request, and waits for others if the backlog is full. Returns false if the job must stop.
    [[nodiscard]] Result<bool> submit();
    /// Waits until at least `least` of the requests in flight are done. Returns false if the job must stop.
    [[nodiscard]] Result<bool> take_done(std::uint32_t least);
    [[nodiscard]] Result<bool> took(const RequestParameters& made, std::span<std::byte> bytes, TransferResult moved,
                                    Ticks start, Ticks finish);
    /// resume() and pause() apply to the recorders of reads and of writes.
    void resume(Ticks now);
    void pause(Ticks now);
    [[nodiscard]] Result<CellEnd> run_requests();
    [[nodiscard]] bool sync_next_file();
    [[nodiscard]] bool flush(const MediumFile& file, std::uint64_t length);
    void note(const RequestParameters& made, std::uint64_t length);
    [[nodiscard]] Result<void> drop_touched_pages();

    const JobSpec& job_;
    const MixJob& mix_;
    const MixCell& cell_;
    Parts parts_;
    const TickClock& clock_;
    std::span<std::byte> buffer_;
    RequestQueue* queue_;
    struct ActiveRequest {
        RequestParameters made;
        std::span<std::byte> bytes;
        Ticks start{};
    };
    std::vector<ActiveRequest> active_; ///< by the part of the buffer that each uses
    std::vector<std::uint32_t> unused_; ///< free parts of the buffer
    std::vector<RequestQueue::IoCompletion> done_;
    SplitMix random_;
    std::uint64_t reads_{}, writes_{};           ///< started so far
    std::uint64_t reads_done_{}, writes_done_{}; ///< completed, with any result
    FileOffset next_{};
    bool dirty_{};
    std::uint32_t next_synced_{};
    std::uint64_t syncs_{};
    // One flag per block; used if the page cache is involved.
    std::vector<bool> touched_, written_;
    Bytes reread_, rewritten_;
    std::uint64_t since_forgotten_{};
};

} // namespace mediarig::workload
