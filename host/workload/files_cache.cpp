// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/files_cache.hpp"

#include <algorithm>
#include <string>

#include "host/workload/cache_checks.hpp"
#include "host/workload/files_plan.hpp"

namespace mediarig::workload {

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
        // The files of a folder follow one another.
        if (std::string path = folder_of(set, index); !path.empty() && (!folder.folder || path != folder_path)) {
            folder = root_.open_folder(path);
            folder_path = std::move(path);
        }
        const FileTree& where = folder.folder ? *folder.folder : root_;
        const auto opened = where.open(name_of_file(set, index, job_.order_seed));
        if (!opened.file) {
            dropped = false; // the step finds out why
            continue;
        }
        if (!told_about_the_way_) {
            reporter_.about_job(CacheChecks(*opened.file, device_).about_the_way());
            served_by_user_space_ = opened.file->served_by_user_space();
            told_about_the_way_ = true;
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
            // What a journal still has to write keeps its blocks in memory: written first, then let go with the names.
            (void)root_.flush();
            (void)device_.flush();
            forgotten = system_.forget_names();
            blocks = device_.known() && device_.flush_and_drop();
        } else if (served_by_user_space_) {
            blocks = device_.known() && device_.flush_and_drop();
        }
        forgotten = device_.below().drop() && blocks && forgotten; // last: what the others wrote back lands there
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
        // With several sizes nobody knows whose it was.
        if (!seen.moved_by_device || cells.size() > 1) continue;
        cell.evidence.device_read = seen.moved_by_device->read;
        cell.evidence.device_written = seen.moved_by_device->written;
    }
    if (job_.cache == CachePolicy::cached || cells.empty()) return;
    CellResult& first = cells.front();
    const auto suspect = [&](std::string detail) {
        reporter_.about_cell(first, Finding{.kind = FindingKind::cache_suspected,
                                            .severity = Severity::warning,
                                            .detail = std::move(detail),
                                            .offset = {}});
    };
    if (!seen.forgotten && (reads_names(work) || reads_files(work)))
        reporter_.about_cell(
            first, Finding{.kind = FindingKind::cache_not_dropped,
                           .severity = Severity::warning,
                           .detail = reads_names(work) ? "names and attributes could not be confirmed to be out of "
                                                         "this host's memory before they were asked for"
                                                       : "it could not be confirmed that the files were out of this "
                                                         "host's memory before they were read",
                           .offset = {}});
    if (!seen.moved_by_device) return;
    if (seen.from_memory > 0)
        suspect("the device read nothing " + std::to_string(seen.from_memory) + " of " + std::to_string(seen.steps) +
                " times: this host's memory answered");
    const bool writing = writes(first.cell.access);
    const Bytes expected = moved - std::min(moved, repeated);
    // What is copied or changed in place is read before.
    if ((!writing || reads_files(work)) && seen.moved_by_device->read < expected)
        suspect("the device read " + std::to_string(seen.moved_by_device->read.count) + " bytes while the test read " +
                std::to_string(expected.count) + ": a cache answered for the rest");
    else if (writing && job_.sync != SyncLevel::none && seen.moved_by_device->written < expected)
        suspect("the device wrote " + std::to_string(seen.moved_by_device->written.count) +
                " bytes while the test wrote " + std::to_string(expected.count) +
                ": a cache or a compressing file system answered for the rest");
}

} // namespace mediarig::workload
