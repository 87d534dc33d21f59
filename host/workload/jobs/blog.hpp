// SPDX-License-Identifier: GPL-3.0-or-later
/// Writers, rewriters, commenters and readers of blogs at once.
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

/// As run_job, for a blog job. It is made as a whole, in a directory. Seven cells come out: "blogs.write" (finished
/// blogs), "blogs.read" (blogs read through) with no bytes, then articles, pictures and comments, read and written; the
/// series of each has a sample for each interval, whose `operations` are what the original prints.
[[nodiscard]] Result<void> run_blog(const System& system, const JobSpec& job, const Target& target, JobControl& control,
                                    Reporter& reporter);

/// What the people of a blog job do, each on a thread of its own. Inner part.
enum class BlogPart : std::uint8_t { articles, pictures, comments };
inline constexpr std::size_t blog_parts = 3;

/// What happened since the job began; each person adds to it without a lock.
struct BlogCounts {
    struct Moved {
        std::atomic<std::uint64_t> files{0}, bytes{0};
    };
    std::array<Moved, blog_parts> read, written;
    std::atomic<std::uint64_t> blogs_read{0}, blogs_written{0};
};

/// The blogs, and what all people share.
class Blogs {
public:
    Blogs(const JobSpec& job, const FileTree& root, IoErrors& errors, JobControl& control);

    [[nodiscard]] const BlogCounts& counts() const { return counts_; }
    /// Tells everybody to go home.
    void stop() { stop_.store(true, std::memory_order_relaxed); }
    /// From here on people only read.
    void no_more_room() { room_.store(0, std::memory_order_relaxed); }
    [[nodiscard]] bool has_room() const {
        return written_.load(std::memory_order_relaxed) < room_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    /// An error after which the job cannot go on; nothing where there is none.
    [[nodiscard]] bool broken() const { return broken_.load(std::memory_order_relaxed); }

    // One turn each; false where there was nothing to do.
    [[nodiscard]] bool write_blog(SplitMix& random);
    [[nodiscard]] bool rewrite(SplitMix& random);
    [[nodiscard]] bool comment(SplitMix& random);
    [[nodiscard]] bool read_blog(SplitMix& random);

private:
    [[nodiscard]] std::unique_ptr<FileTree> open_random(SplitMix& random) const;
    [[nodiscard]] bool write_part(const FileTree& blog, BlogPart part, std::uint64_t number, SplitMix& random);
    [[nodiscard]] bool write_all(const FileTree& blog, BlogPart part, SplitMix& random);
    /// False where there is no such file.
    [[nodiscard]] bool read_part(const FileTree& blog, BlogPart part, std::uint64_t number);
    void failed(bool writing, Bytes length, int error);

    const FileTree& root_;
    IoErrors& errors_;
    JobControl& control_;
    PayloadSource payload_;
    std::mutex errors_lock_;
    std::atomic<std::uint64_t> room_, begun_{0}, written_{0}, edition_{0};
    std::atomic<bool> stop_{false}, broken_{false};
    BlogCounts counts_;
};

} // namespace mediarig::workload
