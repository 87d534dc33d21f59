// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs writers, rewriters, commenters and readers of blogs in parallel.
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "common/split_mix.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// Like run_job, for a blog job. The job runs as a whole, in a directory. It delivers seven cells: "blogs.write"
/// (finished blogs) and "blogs.read" (completely read blogs) without bytes, then articles, pictures and comments, read
/// and written. The series of each cell has one sample per interval; its `operations` are the numbers that the original
/// prints.
[[nodiscard]] Result<void> run_blog(const System& system, const JobSpec& job, const JobTarget& target,
                                    JobControl& control, Reporter& reporter);

/// The work of the threads of a blog job. Inner part.
enum class BlogPart : std::uint8_t { articles, pictures, comments };
inline constexpr std::size_t blog_parts = 3;

/// Event counters since the start of the job. Each thread adds to them without a lock.
struct BlogCounts {
    struct CopyCounters {
        std::atomic<std::uint64_t> files{0}, bytes{0};
    };
    std::array<CopyCounters, blog_parts> read, written;
    std::atomic<std::uint64_t> blogs_read{0}, blogs_written{0};
};

/// The blogs and the state shared by all threads.
class Blogs {
public:
    Blogs(const JobSpec& job, const FileTree& root, const TickClock& clock, IoErrors& errors, JobControl& control);

    [[nodiscard]] const BlogCounts& counts() const { return counts_; }
    /// Requests all threads to end.
    void stop() { stop_.store(true, std::memory_order_relaxed); }
    /// From now on all threads only read.
    void stop_writing() { space_.store(0, std::memory_order_relaxed); }
    [[nodiscard]] bool has_free_space() const {
        return written_.load(std::memory_order_relaxed) < space_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    /// True after an error that ends the job.
    [[nodiscard]] bool broken() const { return broken_.load(std::memory_order_relaxed); }

    // Each function runs one turn of a thread and returns false if it found no work.
    [[nodiscard]] bool write_blog(SplitMix& random);
    [[nodiscard]] bool rewrite(SplitMix& random);
    [[nodiscard]] bool comment(SplitMix& random);
    [[nodiscard]] bool read_blog(SplitMix& random);

private:
    [[nodiscard]] std::unique_ptr<FileTree> open_random(SplitMix& random) const;
    [[nodiscard]] bool write_part(const FileTree& blog, BlogPart part, std::uint64_t number, SplitMix& random);
    [[nodiscard]] bool write_all(const FileTree& blog, BlogPart part, SplitMix& random);
    /// Returns false if the file does not exist.
    [[nodiscard]] bool read_part(const FileTree& blog, BlogPart part, std::uint64_t number);
    /// Records a failed call of one thread, which began at `start`; calls of several threads fail at the same time.
    void failed(bool writing, Bytes length, int error, Ticks start);

    const FileTree& root_;
    const TickClock& clock_;
    std::uint32_t threads_;
    IoErrors& errors_;
    JobControl& control_;
    PayloadSource payload_;
    std::mutex errors_lock_;
    std::atomic<std::uint64_t> space_, begun_{0}, written_{0}, edition_{0};
    std::atomic<bool> stop_{false}, broken_{false};
    BlogCounts counts_;
};

} // namespace mediarig::workload
