// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/verify_span.hpp"

#include <algorithm>
#include <string>

#include "host/base/text.hpp"
#include "host/workload/io/work_names.hpp"

namespace mediarig::workload {
namespace {

/// Space reserved for the file system's metadata while it is filled.
Bytes reserve_of(Bytes free) {
    return {std::clamp<std::uint64_t>(free.count / 128, 1 << 20, 256 << 20)};
}

} // namespace

Result<VerifySpan> VerifySpan::open(const System& system, const JobSpec& job, const JobTarget& target, Bytes unit,
                                    Reporter& reporter) {
    VerifySpan span;
    span.cache_ = job.cache;
    span.sync_ = job.sync;
    span.piece_ = align_down(piece, job.as<VerifyJob>()->chunk);
    if (target.kind == JobTarget::Kind::device) {
        auto file = system.reopen(target.device_fd, job.cache, job.sync);
        if (!file) return fail(file.error());
        const auto size = (*file)->size();
        if (!size) return fail(size.error());
        span.claimed_ = *size;
        span.begin_ = job.from;
        if (span.begin_ % unit != 0_B || span.begin_ >= *size)
            return fail(Errc::bad_request, "verify cannot start at byte " + std::to_string(span.begin_.count) + " of " +
                                               std::to_string(size->count) + " bytes of " + target.path +
                                               ": choose a whole sector within the medium");
        span.size_ = align_down(*size - span.begin_, unit);
        span.file_ = std::move(*file);
    } else {
        if (job.from > 0_B)
            return fail(Errc::bad_request,
                        "a start position needs a bare device: a file system chooses the positions of its data");
        auto folder = open_work_folder(system, target, reporter);
        if (!folder) return fail(folder.error());
        const auto free = (*folder)->free_space();
        if (!free) return fail(free.error());
        span.claimed_ = *free;
        const Bytes reserve = reserve_of(*free);
        span.size_ = *free > reserve ? align_down(*free - reserve, unit) : Bytes{};
        span.folder_ = std::move(*folder);
    }
    const Bytes wanted = align_down(job.as<VerifyJob>()->span, unit);
    if (wanted > span.size_ || span.size_.count == 0) {
        const SizeTexts sizes = size_texts(std::max(wanted, unit), span.size_);
        return fail(Errc::bad_request, "verify needs " + sizes.first + "; " + target.path + " has space for " +
                                           sizes.second + ": free some space or choose a smaller span");
    }
    if (wanted.count > 0) span.size_ = wanted;
    return span;
}

bool VerifySpan::starts_file_at(std::uint64_t offset) const {
    return !raw() && (!file_ || offset / piece_.count != index_);
}

Bytes VerifySpan::length_at(std::uint64_t offset) const {
    if (raw()) return size_;
    const std::uint64_t begin = offset / piece_.count * piece_.count;
    return std::min(piece_, size_ - Bytes{begin});
}

Result<VerifySpan::Place> VerifySpan::at(std::uint64_t offset) {
    if (raw()) return Place{file_.get(), begin_.count + offset};
    if (starts_file_at(offset)) {
        if (file_) cache_ = file_->used(); // an open option that was refused for one file is not requested again
        index_ = offset / piece_.count;
        const std::string name = piece_file(index_);
        auto next =
            index_ < made_ ? folder_->open_file(name, cache_, sync_) : folder_->create_file(name, cache_, sync_);
        if (!next) return fail(next.error());
        made_ = std::max(made_, index_ + 1);
        file_ = std::move(*next);
    }
    return Place{file_.get(), offset % piece_.count};
}

Result<void> VerifySpan::remove() {
    file_.reset();
    return folder_ ? folder_->remove() : Result<void>{};
}

} // namespace mediarig::workload
