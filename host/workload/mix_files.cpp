// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/mix_files.hpp"

#include <system_error>

#include "host/workload/room.hpp"

namespace mediarig::workload {

Result<MixFiles> MixFiles::open(const System& system, const JobSpec& job, const Target& target, Reporter& reporter) {
    const MixJob& mix = *job.as<MixJob>();
    MixFiles made;
    made.count_ = mix.files;
    made.size_ = mix.file_size;
    if (target.kind == Target::Kind::device) {
        auto file = system.reopen(target.device_fd, job.cache, job.sync);
        if (!file) return fail(file.error());
        if (auto fits = check_device(**file, mix.file_size * mix.files, target.path); !fits) return fail(fits.error());
        made.files_.push_back(std::move(*file));
        return made;
    }
    // The folder comes first: it clears away what a killed job left behind.
    auto folder = system.make_work_folder(target);
    if (!folder) return fail(folder.error());
    if (auto fits = check_room(**folder, mix.file_size * mix.files, mix.file_size, target.path, reporter); !fits)
        return fail(fits.error());
    if (auto fits = check_entries(**folder, mix.files, target.path, reporter); !fits) return fail(fits.error());
    CachePolicy cache = job.cache;
    for (std::uint32_t i = 0; i < mix.files; ++i) {
        auto file = (*folder)->create_file(WorkFolder::piece_file(i), cache, job.sync);
        if (!file) return fail(file.error());
        made.files_.push_back(std::move(*file));
        cache = made.files_.back()->used(); // what one file was refused is not asked for again
    }
    made.folder_ = std::move(*folder);
    // Before anything is written.
    if (mix.mode == MixMode::mmap)
        if (auto mapped = made.map(); !mapped) return fail(mapped.error());
    made.unmap();
    return made;
}

Result<void> MixFiles::map() {
    for (const auto& file : files_)
        if (const int error = file->map(length()); error != 0)
            return fail(Errc::bad_request, "the files cannot be mapped (" + std::generic_category().message(error) +
                                               "): choose the mode sync or another file system");
    return {};
}

void MixFiles::unmap() {
    for (const auto& file : files_) file->unmap();
}

Result<void> MixFiles::remove() {
    files_.clear(); // FUSE keeps a removed file under another name while it is open
    return folder_ ? folder_->remove() : Result<void>{};
}

} // namespace mediarig::workload
