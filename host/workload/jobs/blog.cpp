// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/blog.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

#include "host/workload/io/recorder.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/io/work_names.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds nap{50}; // sleep of an idle thread; also the interval between two reads of the clock

/// The quantity that one column of the original counts.
struct Column {
    std::string_view table;
    bool writing;
    std::optional<BlogPart> part; ///< unset: whole blogs
};
constexpr std::array<Column, 8> columns{{{"blogs", true, {}},
                                         {"blogs", false, {}},
                                         {"articles", false, BlogPart::articles},
                                         {"articles", true, BlogPart::articles},
                                         {"pictures", false, BlogPart::pictures},
                                         {"pictures", true, BlogPart::pictures},
                                         {"comments", false, BlogPart::comments},
                                         {"comments", true, BlogPart::comments}}};

struct Count {
    std::uint64_t operations{};
    Bytes moved;
};

Count count_of(const BlogCounts& counts, const Column& column) {
    if (!column.part) return {column.writing ? counts.blogs_written.load() : counts.blogs_read.load(), {}};
    const auto& moved = (column.writing ? counts.written : counts.read)[static_cast<std::size_t>(*column.part)];
    return {moved.files.load(), Bytes{moved.bytes.load()}};
}

class BlogThreads {
public:
    BlogThreads(const JobSpec& job, Blogs& blogs) : blogs_(blogs), stop_(blogs) {
        const BlogJob& blog = *job.as<BlogJob>();
        std::uint64_t seed = job.order_seed * 1000;
        const auto hire = [&](std::uint32_t count, bool (Blogs::*turn)(SplitMix&)) {
            for (std::uint32_t i = 0; i < count; ++i)
                people_.emplace_back([this, turn, start = ++seed] {
                    SplitMix random(start);
                    while (!blogs_.stopped())
                        if (!(blogs_.*turn)(random)) std::this_thread::sleep_for(nap);
                });
        };
        hire(blog.writers, &Blogs::write_blog);
        hire(blog.rewriters, &Blogs::rewrite);
        hire(blog.commenters, &Blogs::comment);
        hire(blog.readers, &Blogs::read_blog);
    }
    BlogThreads(const BlogThreads&) = delete;
    BlogThreads& operator=(const BlogThreads&) = delete;

private:
    /// Ends all threads, also if the system refuses to start the last of many threads.
    struct Stop {
        explicit Stop(Blogs& blogs) : of(blogs) {}
        ~Stop() { of.stop(); }
        Stop(const Stop&) = delete;
        Stop& operator=(const Stop&) = delete;
        Blogs& of;
    };

    Blogs& blogs_;
    std::vector<std::jthread> people_; ///< joined on destruction
    Stop stop_;                        ///< last member: its destructor ends the loops first
};

std::vector<CellResult> cells_for(const JobSpec& job) {
    std::vector<CellResult> cells;
    for (const Column& column : columns) {
        CellResult cell;
        cell.cell = {.id = std::string(column.table) + (column.writing ? ".write" : ".read"),
                     .table = std::string(column.table),
                     .access = column.writing ? Access::random_write : Access::random_read,
                     .block = Bytes{1},
                     .volume = {},
                     .time_limit = job.as<BlogJob>()->interval * job.as<BlogJob>()->intervals,
                     .queue_depth = 1};
        cell.evidence.used = CachePolicy::cached;
        cell.evidence.sync = SyncLevel::none;
        cell.evidence.alignment = Bytes{1};
        cell.end = CellEnd::time;
        cells.push_back(std::move(cell));
    }
    return cells;
}

/// Adds the events since the last sample to all cells.
void take_sample(const BlogCounts& counts, nanoseconds length, std::vector<CellResult>& cells) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Count now = count_of(counts, columns[i]);
        CellResult& cell = cells[i];
        cell.series.push_back({.length = length,
                               .moved = now.moved - cell.moved,
                               .operations = now.operations - cell.operations,
                               .worst = {}});
        cell.moved = now.moved;
        cell.operations = now.operations;
        cell.elapsed += length;
    }
}

/// A file system needs some of its space for metadata.
bool nearly_full(const WorkFolder& folder, Bytes at_first) {
    const auto left = folder.free_space();
    return left && left->count < at_first.count / 16;
}

/// Returns false if the job was cancelled or interrupted.
bool watch(const TickClock& clock, const BlogJob& blog, Blogs& blogs, const WorkFolder& folder, JobControl& control,
           std::vector<CellResult>& cells, Result<void>& allowed) {
    const Bytes at_first = folder.free_space().value_or(Bytes{});
    Ticks from = clock.now();
    for (std::uint32_t interval = 0; interval < blog.intervals; ++interval) {
        const Ticks until = from + clock.from_ns(blog.interval);
        while (clock.now() < until) {
            if (control.cancel.load(std::memory_order_relaxed) || blogs.broken()) return false;
            if (blogs.has_free_space() && nearly_full(folder, at_first)) blogs.stop_writing();
            if (allowed = control.may_write.check(); !allowed) return false;
            std::this_thread::sleep_for(std::min<nanoseconds>(nap, blog.interval));
        }
        const Ticks now = clock.now();
        take_sample(blogs.counts(), nanoseconds(clock.to_ns(now - from)), cells);
        from = now;
    }
    return true;
}

} // namespace

Result<void> run_blog(const System& system, const JobSpec& job, const JobTarget& target, JobControl& control,
                      Reporter& reporter) {
    if (target.kind == JobTarget::Kind::device)
        return fail(Errc::bad_request, "suite " + job.suite +
                                           " makes files, which need a file system: name a directory, "
                                           "or measure a medium that has one");
    const BlogJob& blog = *job.as<BlogJob>();
    const auto device = system.backing_device(target);
    // Create the folder before the check of the free space: its creation removes the folders of killed jobs.
    auto folder = open_work_folder(system, target, reporter);
    if (!folder) return fail(folder.error());
    if (auto fits = check_free_space(**folder, blog.space, 64_KiB, target.path, reporter); !fits) return fits;
    auto root = (*folder)->tree();
    if (!root) return fail(root.error());
    control.bytes_total.store(blog.space.count, std::memory_order_relaxed);
    if (auto allowed = control.may_write.check(); !allowed) return allowed;

    reporter.phase("blogs");
    IoErrors errors = io_errors_of(job, *device, control);
    std::vector<CellResult> cells = cells_for(job);
    Result<void> allowed;
    bool whole = false;
    {
        Blogs blogs(job, **root, system.clock(), errors, control);
        const BlogThreads crowd(job, blogs);
        whole = watch(system.clock(), blog, blogs, **folder, control, cells, allowed);
        if (whole && !blogs.has_free_space())
            reporter.add_job_finding(measure::Finding{.kind = measure::FindingKind::medium_full,
                                                      .severity = measure::Severity::warning,
                                                      .detail =
                                                          "no more blogs were written after their space was used up: "
                                                          "later writes and reads are not comparable",
                                                      .offset = {}});
    }
    reporter.add_cell_finding(cells.front(), errors.take_findings());
    // Completed intervals are kept even if the next one was interrupted.
    if (!cells.front().series.empty())
        for (CellResult& cell : cells) reporter.deliver(std::move(cell));
    reporter.phase("cleanup");
    root->reset();
    const auto removed = (*folder)->remove();
    if (!allowed) return allowed;
    if (!whole) return interrupted_job(errors, "while blogs were written");
    return removed;
}

namespace {

/// Blogbench's values: at most 100 of each part, with sizes from `smallest` to `largest`, written in chunks of 8 KiB.
struct PartSizes {
    Bytes smallest, largest;
};
constexpr std::array<PartSizes, blog_parts> sizes{{{1_KiB, 32_KiB}, {8_KiB, 64_KiB}, {2_KiB, 10_KiB}}};
constexpr std::uint64_t most_of_a_part = 100;
constexpr std::uint64_t write_chunk = 8192, read_chunk = 65536;

/// File numbers in a blog: articles from 0, pictures from 1000, comments from 2000.
std::string name_of_part(BlogPart part, std::uint64_t number) {
    return piece_file(static_cast<std::uint64_t>(part) * 1000 + number);
}

std::size_t index_of(BlogPart part) {
    return static_cast<std::size_t>(part);
}

std::uint32_t threads_of(const BlogJob& blog) {
    return blog.writers + blog.rewriters + blog.commenters + blog.readers;
}

} // namespace

Blogs::Blogs(const JobSpec& job, const FileTree& root, const TickClock& clock, IoErrors& errors, JobControl& control)
    : root_(root),
      clock_(clock),
      threads_(std::max(threads_of(*job.as<BlogJob>()), 1U)),
      errors_(errors),
      control_(control),
      payload_(job.payload, 1),
      space_(job.as<BlogJob>()->space.count) {}

void Blogs::failed(bool writing, Bytes length, int error, Ticks start) {
    const std::chrono::nanoseconds took = clock_.since(start) / threads_;
    const std::lock_guard lock(errors_lock_);
    if (errors_.failed(writing, 0, length.count, error, took)) return;
    broken_.store(true, std::memory_order_relaxed);
    stop();
}

bool Blogs::write_part(const FileTree& blog, BlogPart part, std::uint64_t number, SplitMix& random) {
    const PartSizes& range = sizes[index_of(part)];
    const Bytes size{range.smallest.count + random.next() % (range.largest.count - range.smallest.count)};
    // Other threads may create the same file, so the new file has a unique number until it is renamed.
    const std::string fresh = "piece-" + std::to_string(edition_.fetch_add(1, std::memory_order_relaxed)) + ".new";
    alignas(64) std::array<std::byte, write_chunk> chunk{};
    const Ticks start = clock_.now();
    const auto opened = blog.create(fresh, SyncLevel::none);
    int error = opened.error;
    for (std::uint64_t at = 0; error == 0 && at < size.count;) {
        const auto length = static_cast<std::size_t>(std::min(write_chunk, size.count - at));
        if (payload_.varies() || at == 0) payload_.fill(chunk, random.next() & ~std::uint64_t{511});
        error = opened.file->write(std::span(chunk).first(length), at).error;
        at += length;
    }
    if (error == 0) error = blog.rename(fresh, name_of_part(part, number));
    if (error != 0) {
        (void)blog.remove(fresh);
        failed(true, size, error, start);
        return false;
    }
    written_.fetch_add(size.count, std::memory_order_relaxed);
    control_.bytes_done.fetch_add(size.count, std::memory_order_relaxed);
    auto& moved = counts_.written[index_of(part)];
    moved.files.fetch_add(1, std::memory_order_relaxed);
    moved.bytes.fetch_add(size.count, std::memory_order_relaxed);
    return true;
}

bool Blogs::write_all(const FileTree& blog, BlogPart part, SplitMix& random) {
    // Writes files in descending order, because readers start with the first file and must find a complete set.
    for (std::uint64_t number = 1 + random.next() % most_of_a_part; number != 0; --number)
        if (stopped() || !write_part(blog, part, number, random)) return false;
    return true;
}

bool Blogs::read_part(const FileTree& blog, BlogPart part, std::uint64_t number) {
    const Ticks start = clock_.now();
    const auto opened = blog.open(name_of_part(part, number));
    if (opened.error == ENOENT) return false;
    std::array<std::byte, read_chunk> chunk;
    TransferResult moved{.bytes = 0, .error = opened.error};
    if (moved.error == 0) moved = opened.file->read(chunk, 0);
    if (moved.error != 0) {
        failed(false, {}, moved.error, start);
        return false;
    }
    auto& read = counts_.read[index_of(part)];
    read.files.fetch_add(1, std::memory_order_relaxed);
    read.bytes.fetch_add(moved.bytes, std::memory_order_relaxed);
    return true;
}

std::unique_ptr<FileTree> Blogs::open_random(SplitMix& random) const {
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    if (begun < 2) return nullptr; // the folder of the newest blog may not exist yet
    return root_.open_folder(folder_name(random.next() % (begun - 1))).folder;
}

bool Blogs::write_blog(SplitMix& random) {
    if (!has_free_space()) return false;
    const std::string name = folder_name(begun_.fetch_add(1, std::memory_order_relaxed));
    const Ticks start = clock_.now();
    FileTree::OpenedFolder blog{.folder = nullptr, .error = root_.make_folder(name)};
    if (blog.error == 0) blog = root_.open_folder(name);
    if (blog.error != 0) {
        failed(true, {}, blog.error, start);
        return false;
    }
    if (!write_all(*blog.folder, BlogPart::articles, random) || !write_all(*blog.folder, BlogPart::pictures, random))
        return false;
    counts_.blogs_written.fetch_add(1, std::memory_order_relaxed);
    return true;
}

bool Blogs::rewrite(SplitMix& random) {
    const auto blog = has_free_space() ? open_random(random) : nullptr;
    if (!blog) return false;
    if (random.next() % 2 == 0 && !write_part(*blog, BlogPart::pictures, 1 + random.next() % most_of_a_part, random))
        return false;
    return write_part(*blog, BlogPart::articles, 1 + random.next() % most_of_a_part, random);
}

bool Blogs::comment(SplitMix& random) {
    const auto blog = has_free_space() ? open_random(random) : nullptr;
    return blog && write_all(*blog, BlogPart::comments, random);
}

bool Blogs::read_blog(SplitMix& random) {
    const auto blog = open_random(random);
    if (!blog) return false;
    if (random.next() % 2 == 0)
        for (std::uint64_t number = 1; !stopped() && read_part(*blog, BlogPart::comments, number); ++number) {
        }
    for (std::uint64_t number = 1; !stopped(); ++number) {
        (void)read_part(*blog, BlogPart::pictures, number);
        if (!read_part(*blog, BlogPart::articles, number)) break;
    }
    counts_.blogs_read.fetch_add(1, std::memory_order_relaxed);
    return true;
}

} // namespace mediarig::workload
