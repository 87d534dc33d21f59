// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/restoring_medium.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace mediarig::workload {
namespace {

/// Unit in which a place is saved after a failed read, like the blocks of the probe.
constexpr Bytes least_saved{4096};

} // namespace

Result<RestoringMedium> RestoringMedium::create(ProbedMedium& medium, UndoStorage& undo, UndoHeader header,
                                                WritePermit* permit) {
    auto buffer = TransferBuffer::allocate(UndoEncoder::largest_data);
    if (!buffer) return fail(buffer.error());
    header.size = medium.size();
    return RestoringMedium(medium, undo, header, std::move(*buffer), permit);
}

std::vector<Extent> RestoringMedium::missing_in(const Ranges& ranges, Extent place) {
    std::vector<Extent> missing;
    auto next = ranges.upper_bound(place.begin);
    if (next != ranges.begin() && std::prev(next)->second > place.begin) place.begin = std::prev(next)->second;
    for (; place.begin < place.end; ++next) {
        const std::uint64_t until = next == ranges.end() ? place.end : std::min(next->first, place.end);
        if (place.begin < until) missing.push_back({place.begin, until});
        if (next == ranges.end()) break;
        place.begin = std::max(place.begin, next->second);
    }
    return missing;
}

void RestoringMedium::add(Ranges& ranges, Extent part) {
    const auto next = ranges.lower_bound(part.begin);
    if (next != ranges.begin() && std::prev(next)->second == part.begin)
        std::prev(next)->second = part.end;
    else
        ranges.emplace(part.begin, part.end);
}

bool RestoringMedium::overlaps(const Ranges& ranges, Extent place) {
    const auto next = ranges.lower_bound(place.end);
    return next != ranges.begin() && std::prev(next)->second > place.begin;
}

Result<void> RestoringMedium::prepare(std::span<const Extent> places) {
    if (failed_) return fail(*failed_);
    std::vector<std::byte> batch;
    if (!begun_) batch = encoder_.header();
    const std::size_t empty = batch.size();
    Result<void> saved;
    last_saved_.clear();
    for (const Extent& place : places)
        if (saved = save(place, batch); !saved) break;
    if (saved && batch.size() > empty) saved = undo_->append(batch);
    if (!saved) {
        // Without a durable copy nothing may be written, now and later.
        failed_ = saved.error();
        return saved;
    }
    if (batch.size() > empty) {
        begun_ = true;
        undo_size_ += batch.size();
        encoder_.end_batch();
    }
    return {};
}

Result<void> RestoringMedium::refresh(Extent part) {
    if (failed_) return fail(*failed_);
    if (!begun_) return fail(Errc::bad_request, "no place was written: nothing is to be refreshed");
    const UndoEncoder encoder = encoder_;
    const Ranges saved = saved_;
    std::vector<std::byte> batch;
    last_saved_.clear();
    Result<void> done = save(part, batch);
    if (done) done = undo_->append(batch);
    const std::byte* data = batch.data();
    for (std::size_t i = 0; done && i < last_saved_.size(); ++i) {
        const Extent& piece = last_saved_[i];
        const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(piece.end - piece.begin));
        data += UndoEncoder::head_size;
        std::copy_n(data, bytes.size(), bytes.begin());
        data += bytes.size();
        if (permit_ != nullptr)
            if (done = permit_->check(); !done) break;
        const int error = medium_->write(bytes, piece.begin);
        if (error == 0) continue;
        if (auto fault = medium_->host_fault())
            done = fail(std::move(*fault));
        else if (medium_->gone(error))
            done = fail(Errc::no_medium, "the medium vanished or stopped answering while it was rewritten");
        else
            done = fail(Errc::io_failed, "the medium does not accept its own content at byte " +
                                             std::to_string(piece.begin) + "; verify tests all of it");
    }
    if (done && medium_->flush() != 0) done = fail(Errc::io_failed, "the medium refuses to flush its cache");
    if (done) done = undo_->shorten(undo_size_);
    if (!done) {
        // The undo file keeps the part, so that the restore writes it again.
        failed_ = done.error();
        return done;
    }
    encoder_ = encoder;
    saved_ = saved;
    return {};
}

Result<void> RestoringMedium::save(Extent place, std::vector<std::byte>& batch) {
    for (const Extent& new_part : missing_in(saved_, place))
        for (const Extent& part : missing_in(unreadable_, new_part))
            for (std::uint64_t at = part.begin; at < part.end; at += UndoEncoder::largest_data) {
                const Extent piece{at, std::min<std::uint64_t>(at + UndoEncoder::largest_data, part.end)};
                if (auto done = save_part(piece, batch); !done) return done;
            }
    return {};
}

Result<void> RestoringMedium::save_part(Extent part, std::vector<std::byte>& batch) {
    const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(part.end - part.begin));
    const int error = medium_->read(bytes, part.begin);
    if (error == 0) {
        encoder_.add(batch, part.begin, bytes);
        add(saved_, part);
        last_saved_.push_back(part);
        return {};
    }
    if (auto fault = medium_->host_fault()) return fail(std::move(*fault));
    if (medium_->gone(error))
        return fail(Errc::no_medium, "the medium vanished or stopped answering while its content was saved");
    const std::uint64_t least = std::max(least_saved, medium_->sector()).count;
    if (part.end - part.begin <= least) {
        add(unreadable_, part);
        return {};
    }
    for (std::uint64_t at = part.begin; at < part.end; at += least)
        if (auto done = save_part({at, std::min(at + least, part.end)}, batch); !done) return done;
    return {};
}

int RestoringMedium::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    const Extent place{offset, offset + bytes.size()};
    if (auto saved = prepare({&place, 1}); !saved) return EIO;
    return overlaps(unreadable_, place) ? EIO : medium_->write(bytes, offset);
}

std::optional<Error> RestoringMedium::host_fault() const {
    return failed_ && failed_->code != Errc::no_medium ? failed_ : medium_->host_fault();
}

Result<RestoreReport> RestoringMedium::restore_all(const RestoreRequest& request) {
    if (!begun_) return RestoreReport{};
    const auto file = undo_->contents();
    if (!file) return fail(with_undo_file(file.error(), *undo_));
    const auto log = parse_undo_log(*file);
    if (!log) return fail(with_undo_file(log.error(), *undo_));
    auto report = restore(*medium_, *log, request);
    if (!report) return fail(with_undo_file(report.error(), *undo_));
    if (report->lost > 0) return report;
    if (auto removed = undo_->remove(); !removed) return fail(removed.error());
    return report;
}

Error with_undo_file(Error error, const UndoStorage& undo) {
    error.detail += "; test data may remain on the medium, and " + undo.name() +
                    " keeps its content: connect the medium again, then restore it with mediarig check DEVICE "
                    "--restore";
    return error;
}

} // namespace mediarig::workload
