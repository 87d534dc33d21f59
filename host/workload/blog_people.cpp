// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/blog_people.hpp"

#include <algorithm>
#include <cerrno>

#include "host/workload/work_folder.hpp"

namespace mediarig::workload {
namespace {

/// Of Blogbench: at most 100 of each, with sizes from the first up to the second; written in 8 KiB.
struct PartSizes {
    Bytes smallest, largest;
};
constexpr std::array<PartSizes, blog_parts> sizes{{{1_KiB, 32_KiB}, {8_KiB, 64_KiB}, {2_KiB, 10_KiB}}};
constexpr std::uint64_t most_of_a_part = 100;
constexpr std::uint64_t write_chunk = 8192, read_chunk = 65536;

/// The files of a blog are numbered through: articles from 0, pictures from 1000, comments from 2000.
std::string name_of_part(BlogPart part, std::uint64_t number) {
    return WorkFolder::piece_file(static_cast<std::uint64_t>(part) * 1000 + number);
}

std::size_t index_of(BlogPart part) {
    return static_cast<std::size_t>(part);
}

} // namespace

Blogs::Blogs(const JobSpec& job, const FileTree& root, IoErrors& errors, JobControl& control)
    : root_(root), errors_(errors), control_(control), payload_(job.payload, 1), room_(job.as<BlogJob>()->room.count) {}

void Blogs::failed(bool writing, Bytes length, int error) {
    const std::lock_guard lock(errors_lock_);
    if (errors_.failed(writing, 0, length.count, error)) return;
    broken_.store(true, std::memory_order_relaxed);
    stop();
}

bool Blogs::write_part(const FileTree& blog, BlogPart part, std::uint64_t number, SplitMix& random) {
    const PartSizes& range = sizes[index_of(part)];
    const Bytes size{range.smallest.count + random.next() % (range.largest.count - range.smallest.count)};
    // Other threads may make the same file, so the new one has a number of its own until it is renamed.
    const std::string fresh = "piece-" + std::to_string(edition_.fetch_add(1, std::memory_order_relaxed)) + ".new";
    alignas(64) std::array<std::byte, write_chunk> chunk{};
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
        failed(true, size, error);
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
    // Downwards, so that readers, who begin with the first, find a finished set.
    for (std::uint64_t number = 1 + random.next() % most_of_a_part; number != 0; --number)
        if (stopped() || !write_part(blog, part, number, random)) return false;
    return true;
}

bool Blogs::read_part(const FileTree& blog, BlogPart part, std::uint64_t number) {
    const auto opened = blog.open(name_of_part(part, number));
    if (opened.error == ENOENT) return false;
    std::array<std::byte, read_chunk> chunk;
    Moved moved{.bytes = 0, .error = opened.error};
    if (moved.error == 0) moved = opened.file->read(chunk, 0);
    if (moved.error != 0) {
        failed(false, {}, moved.error);
        return false;
    }
    auto& read = counts_.read[index_of(part)];
    read.files.fetch_add(1, std::memory_order_relaxed);
    read.bytes.fetch_add(moved.bytes, std::memory_order_relaxed);
    return true;
}

std::unique_ptr<FileTree> Blogs::open_random(SplitMix& random) const {
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    if (begun < 2) return nullptr; // of the last one nobody knows whether its folder is there
    return root_.open_folder(FileTree::folder_name(random.next() % (begun - 1))).folder;
}

bool Blogs::write_blog(SplitMix& random) {
    if (!has_room()) return false;
    const std::string name = FileTree::folder_name(begun_.fetch_add(1, std::memory_order_relaxed));
    FileTree::OpenedFolder blog{.folder = nullptr, .error = root_.make_folder(name)};
    if (blog.error == 0) blog = root_.open_folder(name);
    if (blog.error != 0) {
        failed(true, {}, blog.error);
        return false;
    }
    if (!write_all(*blog.folder, BlogPart::articles, random) || !write_all(*blog.folder, BlogPart::pictures, random))
        return false;
    counts_.blogs_written.fetch_add(1, std::memory_order_relaxed);
    return true;
}

bool Blogs::rewrite(SplitMix& random) {
    const auto blog = has_room() ? open_random(random) : nullptr;
    if (!blog) return false;
    if (random.next() % 2 == 0 && !write_part(*blog, BlogPart::pictures, 1 + random.next() % most_of_a_part, random))
        return false;
    return write_part(*blog, BlogPart::articles, 1 + random.next() % most_of_a_part, random);
}

bool Blogs::comment(SplitMix& random) {
    const auto blog = has_room() ? open_random(random) : nullptr;
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
