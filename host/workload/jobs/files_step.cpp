// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/files_step.hpp"

#include <algorithm>
#include <cerrno>

#include "host/workload/io/system.hpp"
#include "host/workload/io/work_names.hpp"
#include "host/workload/jobs/files_plan.hpp"
#include "host/workload/jobs/seekers.hpp"

namespace mediarig::workload {
namespace {

constexpr std::uint64_t sector = 512;
/// File n takes its contents from byte n << file_shift of the payload, so no two files are equal.
constexpr unsigned file_shift = 36;

/// Opens `path` below `where` and creates its missing folders.
FileTree::OpenedFolder make_path(const FileTree& where, const std::string& path) {
    const auto slash = path.find('/');
    const std::string name = path.substr(0, slash);
    if (const int error = where.make_folder(name); error != 0 && error != EEXIST)
        return {.folder = nullptr, .error = error};
    FileTree::OpenedFolder made = where.open_folder(name);
    if (slash == std::string::npos || !made.folder) return made;
    return make_path(*made.folder, path.substr(slash + 1));
}

} // namespace

FileStepRun::FileStepRun(const TickClock& clock, const JobSpec& job, const FileStep& step, std::uint32_t number,
                         const FileTree& root, std::vector<bool>& present, std::vector<Tally>& cells, IoErrors& errors,
                         JobControl& control)
    : clock_(clock),
      job_(job),
      step_(step),
      number_(number),
      set_(job.as<FilesJob>()->sets[step.set]),
      from_(job.as<FilesJob>()->sets[step.from]),
      root_(root),
      present_(present),
      cells_(cells),
      errors_(errors),
      control_(control),
      payload_(job.payload, number + 1) {}

Result<CellEnd> FileStepRun::run() {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(align_up(step_.cell.block, {sector}).count));
    if (!buffer) return fail(buffer.error());
    buffer_ = std::move(*buffer);
    if (!payload_.varies()) payload_.fill(buffer_.bytes(), 0);
    if (step_.work == FileWork::walk) return cancelled() ? CellEnd::cancelled : walk();
    if (step_.work == FileWork::seek)
        return Seekers(clock_, job_, step_, number_, root_, present_, cells_.front(), errors_, control_).run();
    if (step_.order == FileOrder::as_listed) return run_in_listed_order();
    const bool makes = makes_files();
    for (const std::uint32_t index : order_of(set_, step_, job_.order_seed, number_)) {
        if (cancelled()) return CellEnd::cancelled;
        if (present_[index] == makes) continue;
        const auto next = process_file(index);
        if (!next) return fail(next.error());
        if (*next) return **next;
    }
    return finish().value_or(CellEnd::volume);
}

Result<CellEnd> FileStepRun::run_in_listed_order() {
    std::optional<std::uint64_t> leaf;
    for (std::uint32_t first = 0; first < set_.files; ++first) {
        if (leaf == leaf_of(set_, first)) continue;
        leaf = leaf_of(set_, first);
        Result<StepEnd> next = StepEnd();
        Tally::Duration outside{};
        const Ticks start = began_ = clock_.now();
        const FileTree* const where = folder(first);
        const int error = where == nullptr ? kept_.folder.error : where->list([&](const std::string& name) {
            const Ticks told = clock_.now();
            const auto index = file_called(set_, name, job_.order_seed);
            if (index && present_[*index]) next = cancelled() ? StepEnd(CellEnd::cancelled) : process_file(*index);
            outside += since(told);
            return next && !*next;
        });
        cells_.front().add_listing(since(start) - outside);
        if (!next) return fail(next.error());
        if (*next) return **next;
        if (error != 0)
            if (const StepEnd stop = failed(false, 0, {}, error)) return *stop;
    }
    return finish().value_or(CellEnd::volume);
}

Result<FileStepRun::StepEnd> FileStepRun::process_file(std::uint32_t index) {
    began_ = clock_.now();
    if (writes(step_.cell.access))
        if (auto allowed = control_.may_write.check(); !allowed) return fail(allowed.error());
    switch (step_.work) {
        case FileWork::write:
        case FileWork::create:
            return write_file(index, name_of(index), size_of(index));
        case FileWork::read:
            return read_file(index, false);
        case FileWork::rewrite:
            return read_file(index, true);
        case FileWork::replace:
            return replace_file(index);
        case FileWork::rename:
            return rename_file(index);
        case FileWork::copy:
            return copy_file(index);
        case FileWork::pieces:
            return count_pieces(index);
        case FileWork::stat:
        case FileWork::remove:
        case FileWork::seek:
        case FileWork::walk:
            break;
    }
    return simple(index);
}

FileStepRun::StepEnd FileStepRun::write_file(std::uint32_t index, const std::string& name, Bytes size) {
    const FileTree* const where = folder(index);
    if (where == nullptr) return failed(true, 0, size, kept_.folder.error);
    Tally& cell = cell_of(index);
    const bool each_transfer = step_.work == FileWork::write && !step_.by_size;
    Tally::Duration spent{}, prepared{};
    Ticks start = clock_.now();
    const FileTree::OpenedFile opened = where->create(name, job_.sync);
    spent += since(start);
    if (opened.error != 0) return failed(true, 0, size, opened.error);
    for (std::uint64_t at = 0; at < size.count;) {
        if (cancelled()) return CellEnd::cancelled;
        const std::uint64_t length = std::min(step_.cell.block.count, size.count - at);
        start = clock_.now();
        const auto bytes = filled(index, at, length);
        prepared += since(start);
        start = clock_.now();
        const TransferResult moved = opened.file->write(bytes, at);
        const Tally::Duration took = since(start);
        control_.bytes_done.fetch_add(length, std::memory_order_relaxed);
        if (moved.error != 0) return failed(true, at, {length}, moved.error);
        if (each_transfer)
            cell.add(took, {length});
        else
            spent += took;
        at += length;
    }
    // Small files are flushed together at the end of the step.
    if (step_.work == FileWork::write && job_.sync == SyncLevel::at_end) {
        start = clock_.now();
        const int error = flush(*opened.file);
        spent += since(start);
        if (error != 0) return failed(true, 0, size, error);
        cell.result().evidence.write_cache_flushed = true;
    }
    cell.add_prepared(prepared);
    if (each_transfer)
        cell.add_sync(spent);
    else
        cell.add(spent, size);
    if (step_.by_size) cell.close_sample();
    present_[index] = true;
    return std::nullopt;
}

FileStepRun::StepEnd FileStepRun::read_file(std::uint32_t index, bool writes_back) {
    const FileTree* const where = folder(index);
    const Bytes size = size_of(index);
    if (where == nullptr) return failed(false, 0, size, kept_.folder.error);
    const std::string name = name_of(index);
    Tally& cell = cell_of(index);
    Tally::Duration spent{};
    Ticks start = clock_.now();
    const FileTree::OpenedFile opened = where->open(name);
    spent += since(start);
    if (opened.error != 0) return failed(false, 0, size, opened.error);
    for (std::uint64_t at = 0; at < size.count;) {
        if (cancelled()) return CellEnd::cancelled;
        const std::uint64_t length = std::min(step_.cell.block.count, size.count - at);
        const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(length));
        start = clock_.now();
        TransferResult moved = opened.file->read(bytes, at);
        if (moved.error == 0 && moved.bytes == length && writes_back) {
            bytes.front() ^= std::byte{1};
            moved = opened.file->write(bytes, at);
        }
        const Tally::Duration took = since(start);
        control_.bytes_done.fetch_add(length, std::memory_order_relaxed);
        if (moved.error != 0) return failed(writes_back, at, {length}, moved.error);
        if (moved.bytes != length)
            return errors_.record_short_transfer(writes_back, at, length, moved.bytes) ? StepEnd()
                                                                                       : StepEnd(CellEnd::error);
        if (step_.by_size)
            spent += took;
        else
            cell.add(took, {length});
        at += length;
    }
    if (writes_back && job_.sync == SyncLevel::at_end) {
        start = clock_.now();
        if (const int error = flush(*opened.file); error != 0) return failed(true, 0, size, error);
        cell.add_sync(since(start));
        cell.result().evidence.write_cache_flushed = true;
    }
    if (step_.by_size) {
        cell.add(spent, size);
        cell.close_sample();
    }
    return std::nullopt;
}

FileStepRun::StepEnd FileStepRun::replace_file(std::uint32_t index) {
    const FileTree* const where = folder(index);
    const Bytes size = size_of_file(set_, index, number_, job_.order_seed);
    if (where == nullptr) return failed(true, 0, size, kept_.folder.error);
    const std::string name = other_name_of(index);
    Ticks start = clock_.now();
    const FileTree::OpenedFile opened = where->create(name, job_.sync);
    Tally::Duration spent = since(start);
    int error = opened.error;
    for (std::uint64_t at = 0; error == 0 && at < size.count;) {
        const std::uint64_t length = std::min(step_.cell.block.count, size.count - at);
        const auto bytes = filled(index, at, length);
        start = clock_.now();
        error = opened.file->write(bytes, at).error;
        spent += since(start);
        at += length;
    }
    start = clock_.now();
    if (error == 0) error = where->rename(name, name_of(index));
    spent += since(start);
    control_.bytes_done.fetch_add(size.count, std::memory_order_relaxed);
    if (error != 0) {
        (void)where->remove(name);
        return failed(true, 0, size, error);
    }
    cell_of(index).add(spent, size);
    return std::nullopt;
}

FileStepRun::StepEnd FileStepRun::simple(std::uint32_t index) {
    const FileTree* const where = folder(index);
    if (where == nullptr) return failed(false, 0, {}, kept_.folder.error);
    const std::string name = name_of(index);
    const bool removes = step_.work == FileWork::remove;
    const Ticks start = clock_.now();
    const int error = removes ? where->remove(name) : where->ask_attributes(name);
    const Tally::Duration took = since(start);
    if (error != 0) return failed(removes, 0, {}, error);
    cell_of(index).add(took, {});
    if (removes) present_[index] = false;
    return std::nullopt;
}

FileStepRun::StepEnd FileStepRun::rename_file(std::uint32_t index) {
    const FileTree* const where = folder(index);
    if (where == nullptr) return failed(true, 0, {}, kept_.folder.error);
    const std::string name = name_of(index), other = other_name_of(index);
    for (const bool back : {false, true}) {
        const Ticks start = clock_.now();
        const int error = back ? where->rename(other, name) : where->rename(name, other);
        const Tally::Duration took = since(start);
        if (error != 0) return failed(true, 0, {}, error);
        cell_of(index).add(took, {});
    }
    return std::nullopt;
}

FileStepRun::StepEnd FileStepRun::copy_file(std::uint32_t index) {
    // All sets use the same folders, so a copy is created in the folder of its source.
    const std::uint32_t source = source_of_copy(index, set_, from_);
    const FileTree* const where = folder(index);
    if (where == nullptr) return failed(true, 0, {}, kept_.folder.error);
    const FileTree* const from = folder(from_, source, kept_from_, false);
    if (from == nullptr) return failed(false, 0, {}, kept_from_.folder.error);
    Ticks start = clock_.now();
    const FileTree::OpenedFile read = from->open(name_of_file(from_, source, job_.order_seed));
    Tally::Duration spent = since(start);
    if (read.error != 0) return failed(false, 0, {}, read.error);
    start = clock_.now();
    const FileTree::OpenedFile written = where->create(name_of(index), job_.sync);
    spent += since(start);
    if (written.error != 0) return failed(true, 0, {}, written.error);
    present_[index] = true;
    std::uint64_t at = 0;
    for (;;) {
        if (cancelled()) return CellEnd::cancelled;
        start = clock_.now();
        const TransferResult got = read.file->read(buffer_.bytes(), at);
        const TransferResult put =
            got.error == 0 ? written.file->write(buffer_.bytes().first(got.bytes), at) : TransferResult{};
        spent += since(start);
        if (got.error != 0 || put.error != 0)
            return failed(got.error == 0, at, {got.bytes}, got.error != 0 ? got.error : put.error);
        at += got.bytes;
        control_.bytes_done.fetch_add(got.bytes, std::memory_order_relaxed);
        if (got.bytes < buffer_.bytes().size()) break;
    }
    cell_of(index).add(spent, {at});
    return std::nullopt;
}

FileStepRun::StepEnd FileStepRun::count_pieces(std::uint32_t index) {
    const FileTree* const where = folder(index);
    if (where == nullptr) return failed(false, 0, {}, kept_.folder.error);
    const Ticks start = clock_.now();
    const FileTree::OpenedFile opened = where->open(name_of(index));
    if (opened.error != 0) return failed(false, 0, {}, opened.error);
    const auto pieces = opened.file->pieces();
    if (!pieces) return CellEnd::volume; // the file system reports no pieces of other files either
    cell_of(index).add(since(start), {}, *pieces);
    return std::nullopt;
}

CellEnd FileStepRun::walk() {
    const Ticks start = clock_.now();
    const FileTree::Contents found = root_.walk();
    const Tally::Duration took = since(start);
    if (found.error != 0)
        if (const StepEnd next = failed(false, 0, {}, found.error)) return *next;
    cells_.front().add(took, {}, found.files + found.folders);
    cells_.front().close_sample();
    return CellEnd::volume;
}

/// Files that were created or removed one by one are flushed once, within the time of the cell.
FileStepRun::StepEnd FileStepRun::finish() {
    kept_ = {};
    kept_from_ = {};
    if (!writes(step_.cell.access) || job_.sync != SyncLevel::at_end || step_.work == FileWork::write ||
        step_.work == FileWork::rewrite || step_.flush == FileFlush::nothing)
        return std::nullopt;
    const Ticks start = clock_.now();
    began_ = clock_.now();
    if (const int error = root_.flush(); error != 0) return failed(true, 0, {}, error);
    cells_.front().add_sync(since(start));
    cells_.front().result().evidence.write_cache_flushed = true;
    return std::nullopt;
}

const FileTree* FileStepRun::folder(const FileSet& set, std::uint32_t index, Kept& kept, bool make) const {
    if (set.folders.empty()) return &root_;
    const std::uint64_t leaf = leaf_of(set, index);
    if (!kept.folder.folder || leaf != kept.leaf) {
        const std::string path = folder_of(set, index);
        kept.folder = make ? made_folder(path, kept) : root_.open_folder(path);
        kept.leaf = leaf;
    }
    return kept.folder.folder.get();
}

FileTree::OpenedFolder FileStepRun::made_folder(const std::string& path, Kept& kept) const {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return make_path(root_, path);
    if (!kept.parent.folder || path.compare(0, slash, kept.parent_path) != 0) {
        kept.parent_path = path.substr(0, slash);
        kept.parent = make_path(root_, kept.parent_path);
        if (!kept.parent.folder) return {.folder = nullptr, .error = kept.parent.error};
    }
    return make_path(*kept.parent.folder, path.substr(slash + 1));
}

Tally& FileStepRun::cell_of(std::uint32_t index) {
    return step_.by_size ? cells_[index % set_.sizes.size()] : cells_.front();
}

int FileStepRun::flush(const MediumFile& file) const {
    return step_.flush == FileFlush::attributes ? file.flush_attributes() : file.flush();
}

FileStepRun::StepEnd FileStepRun::failed(bool writing, std::uint64_t offset, Bytes length, int error) {
    if (errors_.failed(writing, offset, length.count, error, since(began_))) return std::nullopt;
    return CellEnd::error;
}

std::span<std::byte> FileStepRun::filled(std::uint32_t index, std::uint64_t offset, std::uint64_t length) {
    const auto sectors = buffer_.bytes().first(static_cast<std::size_t>(align_up({length}, {sector}).count));
    if (payload_.varies())
        payload_.fill(sectors,
                      (std::uint64_t{set_.first + index} << file_shift) + align_down({offset}, {sector}).count);
    return sectors.first(static_cast<std::size_t>(length));
}

std::string FileStepRun::other_name_of(std::uint32_t index) const {
    return "piece-" + std::to_string(set_.first + index) + ".new";
}

std::string FileStepRun::name_of(std::uint32_t index) const {
    return name_of_file(set_, index, job_.order_seed);
}

Bytes FileStepRun::size_of(std::uint32_t index) const {
    return size_of_file(set_, index, 0, job_.order_seed);
}

} // namespace mediarig::workload
