// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/files_plan.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "common/split_mix.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/io/work_names.hpp"
#include "host/workload/jobs/cache_checks.hpp"

namespace mediarig::workload {
namespace {

/// Returns a number from 0 to 1, without 1.
double fraction(std::uint64_t number) {
    return static_cast<double>(number >> 11) * 0x1.0p-53;
}

/// Fisher-Yates shuffle.
void shuffle(std::span<std::uint32_t> numbers, SplitMix& random) {
    for (std::size_t left = numbers.size(); left > 1; --left)
        std::swap(numbers[left - 1], numbers[static_cast<std::size_t>(random.next() % left)]);
}

std::uint64_t leaves_of(const FileSet& set) {
    std::uint64_t leaves = 1;
    for (const std::uint32_t count : set.folders) leaves *= count;
    return leaves;
}

} // namespace

Bytes size_by_square_law(const SizeLaw& law, double u) {
    const double a = static_cast<double>(law.smallest.count), b = static_cast<double>(law.largest.count);
    const double size = a / (1 - u * (1 - a / b));
    return {std::clamp(static_cast<std::uint64_t>(size), law.smallest.count, law.largest.count)};
}

Bytes size_of_file(const FileSet& set, std::uint32_t index, std::uint32_t version, std::uint64_t seed) {
    if (!set.law) return set.sizes.empty() ? Bytes{} : set.sizes[index % set.sizes.size()];
    SplitMix random(seed ^ (std::uint64_t{version} << 32 | index));
    return size_by_square_law(*set.law, fraction(random.next()));
}

std::vector<std::uint32_t> order_of(const FileSet& set, const FileStep& step, std::uint64_t seed, std::uint64_t round) {
    std::vector<std::uint32_t> numbers(set.files);
    std::iota(numbers.begin(), numbers.end(), 0u);
    SplitMix random(seed * 31 + static_cast<std::uint64_t>(step.work) + (round << 8));
    const bool some = step.work == FileWork::replace || step.work == FileWork::rename;
    if (step.order == FileOrder::random || some) shuffle(numbers, random);
    if (step.order == FileOrder::random_in_cycle)
        for (std::size_t at = 0; at < numbers.size(); at += set.sizes.size())
            shuffle(std::span(numbers).subspan(at, std::min(set.sizes.size(), numbers.size() - at)), random);
    if (some) numbers.resize(static_cast<std::size_t>(static_cast<double>(set.files) * step.part));
    return numbers;
}

std::uint32_t source_of_copy(std::uint32_t index, const FileSet& set, const FileSet& from) {
    return static_cast<std::uint32_t>(std::uint64_t{index} * from.files / set.files);
}

std::uint64_t leaf_of(const FileSet& set, std::uint32_t index) {
    return std::uint64_t{index} * leaves_of(set) / std::max<std::uint64_t>(set.files, 1);
}

std::string folder_of(const FileSet& set, std::uint32_t index) {
    std::uint64_t leaf = leaf_of(set, index), below = leaves_of(set);
    std::string path;
    for (const std::uint32_t count : set.folders) {
        below /= count;
        path += (path.empty() ? "" : "/") + folder_name(leaf / below);
        leaf %= below;
    }
    return path;
}

std::uint64_t folders_in(const FileSet& set) {
    std::uint64_t all = 0, level = 1;
    for (const std::uint32_t count : set.folders) all += level *= count;
    return all;
}

using measure::Finding;
using measure::FindingKind;
using measure::Severity;

namespace {

bool reads_names(FileWork work) {
    return work == FileWork::walk || work == FileWork::stat;
}

bool reads_files(FileWork work) {
    return work == FileWork::read || work == FileWork::rewrite || work == FileWork::seek || work == FileWork::copy;
}

} // namespace

bool FilesCache::forget_files(const FileStep& step, const std::vector<std::vector<bool>>& present) {
    const bool copies = step.work == FileWork::copy;
    const std::uint32_t number = copies ? step.from : step.set;
    const FileSet& set = files_.sets[number];
    const std::uint32_t read = files_.sets[step.set].files;
    bool dropped = true;
    std::string folder_path;
    FileTree::OpenedFolder folder;
    for (std::uint32_t i = 0; i < read; ++i) {
        const std::uint32_t index = copies ? source_of_copy(i, files_.sets[step.set], set) : i;
        if (!present[number][index]) continue;
        // Files of one folder are consecutive.
        if (std::string path = folder_of(set, index); !path.empty() && (!folder.folder || path != folder_path)) {
            folder = root_.open_folder(path);
            folder_path = std::move(path);
        }
        const FileTree& where = folder.folder ? *folder.folder : root_;
        const auto opened = where.open(name_of_file(set, index, job_.order_seed));
        if (!opened.file) {
            dropped = false; // the step will report the reason
            continue;
        }
        if (!path_findings_reported_) {
            reporter_.add_job_finding(CacheChecks(*opened.file, device_).path_findings());
            served_by_user_space_ = opened.file->served_by_user_space();
            path_findings_reported_ = true;
        }
        dropped = opened.file->drop_cache(size_of_file(set, index, 0, job_.order_seed)).verified() && dropped;
    }
    return dropped;
}

void FilesCache::forget(const FileStep& step, const std::vector<std::vector<bool>>& present, StepsSeen& seen) {
    bool forgotten = job_.cache != CachePolicy::cached;
    if (forgotten && (reads_names(step.work) || reads_files(step.work))) {
        if (reads_files(step.work)) forgotten = forget_files(step, present);
        bool blocks = true;
        if (reads_names(step.work)) {
            // A pending journal keeps its blocks in memory. Write the journal first, then drop it together with the
            // names.
            (void)root_.flush();
            (void)device_.flush();
            forgotten = system_.forget_names();
            blocks = device_.known() && device_.flush_and_drop();
        } else if (served_by_user_space_) {
            blocks = device_.known() && device_.flush_and_drop();
        }
        // Drop this cache last, because the write-back of the other caches fills it again.
        forgotten = device_.drop_host_cache() && blocks && forgotten;
    }
    seen.forgotten = seen.forgotten && forgotten;
    before_ = device_.totals();
}

void FilesCache::count(const FileStep& step, StepsSeen& seen) {
    const auto after = device_.totals();
    if (!seen.moved_by_device || !before_ || !after || after->read < before_->read ||
        after->written < before_->written) {
        seen.moved_by_device.reset();
        return;
    }
    seen.moved_by_device->read += after->read - before_->read;
    seen.moved_by_device->written += after->written - before_->written;
    if (!reads_names(step.work)) return;
    ++seen.steps;
    seen.from_memory += after->read == before_->read ? 1 : 0;
}

void FilesCache::weigh(FileWork work, std::vector<CellResult>& cells, Bytes repeated, const StepsSeen& seen) const {
    Bytes moved;
    for (CellResult& cell : cells) {
        moved += cell.moved;
        cell.evidence.page_cache_dropped = seen.forgotten && (reads_names(work) || reads_files(work));
        // With several file sizes the bytes cannot be attributed to one size.
        if (!seen.moved_by_device || cells.size() > 1) continue;
        cell.evidence.device_read = seen.moved_by_device->read;
        cell.evidence.device_written = seen.moved_by_device->written;
    }
    if (job_.cache == CachePolicy::cached || cells.empty()) return;
    CellResult& first = cells.front();
    const auto suspect = [&](std::string detail) {
        reporter_.add_cell_finding(first, Finding{.kind = FindingKind::cache_suspected,
                                                  .severity = Severity::warning,
                                                  .detail = std::move(detail),
                                                  .offset = {}});
    };
    if (!seen.forgotten && (reads_names(work) || reads_files(work)))
        reporter_.add_cell_finding(
            first, Finding{.kind = FindingKind::cache_not_dropped,
                           .severity = Severity::warning,
                           .detail = reads_names(work) ? "it could not be confirmed that names and attributes were out "
                                                         "of this host's memory before they were read"
                                                       : "it could not be confirmed that the files were out of this "
                                                         "host's memory before they were read",
                           .offset = {}});
    if (!seen.moved_by_device) return;
    if (seen.from_memory > 0)
        suspect("the device read nothing " + std::to_string(seen.from_memory) + " of " + std::to_string(seen.steps) +
                " times: this host's memory served the requests");
    const bool writing = writes(first.cell.access);
    const Bytes expected = moved - std::min(moved, repeated);
    // Copying and changing in place read first.
    if ((!writing || reads_files(work)) && seen.moved_by_device->read < expected)
        suspect("the device read " + std::to_string(seen.moved_by_device->read.count) + " bytes while the test read " +
                std::to_string(expected.count) + ": a cache served the rest");
    else if (writing && job_.sync != SyncLevel::none && seen.moved_by_device->written < expected)
        suspect("the device wrote " + std::to_string(seen.moved_by_device->written.count) +
                " bytes while the test wrote " + std::to_string(expected.count) +
                ": a cache or a compressing file system served the rest");
}

} // namespace mediarig::workload
