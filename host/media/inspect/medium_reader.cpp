// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/medium_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mediarig::media {

std::size_t MediumReader::fill(Bytes offset, std::vector<std::byte>& bytes, std::string& why) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got =
            ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset.count + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) why = fmt::format("cannot read at byte {}: {}", offset.count + done, std::strerror(errno));
        if (got == 0) why = fmt::format("the medium ends at byte {}", offset.count + done);
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::size_t MediumReader::fill_from_memory(Bytes offset, std::vector<std::byte>& bytes, std::string& why) const {
    const Bytes end = offset + Bytes{bytes.size()};
    for (const MemoryMedium::Piece& piece : memory_->pieces) {
        const Bytes from = std::max(offset, piece.at), to = std::min(end, piece.at + Bytes{piece.bytes.size()});
        if (from >= to) continue;
        std::memcpy(bytes.data() + (from - offset).count, piece.bytes.data() + (from - piece.at).count,
                    (to - from).count);
    }
    Bytes good = end;
    for (const MemoryMedium::Span& span : memory_->unreadable)
        if (span.at < end && offset < span.at + span.length) good = std::min(good, std::max(offset, span.at));
    if (good < end) why = fmt::format("cannot read at byte {}: {}", good.count, std::strerror(EIO));
    return (good - offset).count;
}

Error MediumReader::refuse(Bytes at, Bytes length, const std::string& why) const {
    constexpr std::size_t most_remembered = 256;
    const bool known = std::ranges::any_of(unread_, [at](const UnreadRange& unread) { return unread.at == at; });
    if (!known && unread_.size() < most_remembered) unread_.push_back({at, length, why});
    return {Errc::io_failed, why};
}

bool MediumReader::has_count_budget(Bytes length) const {
    constexpr Bytes remaining_after_error = 8_MiB;
    const Bytes left = most_ - std::min(most_, read_);
    return left >= remaining_after_error && length <= left - remaining_after_error;
}

Result<std::vector<std::byte>> MediumReader::read(Bytes offset, Bytes length) const {
    if (offset > size_ || length > size_ - offset)
        return fail(Errc::bad_format, fmt::format("{} bytes at byte {} are outside the medium of {} bytes",
                                                  length.count, offset.count, size_.count));
    // Check the limit before allocating: the length comes from the medium.
    if (length > most_ - std::min(most_, read_))
        return fail(refuse(offset, length,
                           fmt::format("byte {} was not read: {} bytes of the medium have been read, {} more exceed "
                                       "the limit of an inspection",
                                       offset.count, read_.count, length.count)));
    if (failures_ >= most_failures_)
        return fail(
            refuse(offset, length, fmt::format("byte {} was not read: {} reads failed", offset.count, failures_)));
    std::vector<std::byte> bytes(length.count);
    std::string why;
    const std::size_t got = memory_ != nullptr ? fill_from_memory(offset, bytes, why) : fill(offset, bytes, why);
    read_ += Bytes{got};
    if (got < bytes.size()) {
        ++failures_;
        return fail(refuse(offset + Bytes{got}, length - Bytes{got}, why));
    }
    return bytes;
}

Result<std::vector<std::byte>> MediumReader::sample(Bytes offset, Bytes length) const {
    const std::size_t known = unread_.size();
    auto bytes = read(offset, length);
    unread_.resize(known);
    return bytes;
}

} // namespace mediarig::media
