// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/readable_copy.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace mediarig::media {
namespace {

/// Largest distance from either end that libblkid 2.38 to 2.41 reads: VMFS at 2 MiB, Promise RAID 3087 sectors before
/// the end.
constexpr Bytes looked_at = 4_MiB;
constexpr Bytes chunk = 64_KiB;
constexpr Bytes piece = 4_KiB; ///< page size of the page cache, the smallest read
/// A failing card may need seconds for each piece.
constexpr std::chrono::seconds longest{30};

/// Read errors of the medium, as drivers report them; any other error means that the device cannot be read at all.
bool is_read_error(int error) {
    return error == EIO || error == EILSEQ || error == ENODATA || error == EREMOTEIO || error == ETIMEDOUT ||
           error == EBADMSG;
}

} // namespace

ReadableCopy::ReadableCopy(int device, int copy, Bytes size)
    : device_(device), copy_(copy), size_(size), deadline_(std::chrono::steady_clock::now() + longest) {}
ReadableCopy::ReadableCopy(ReadableCopy&& from) noexcept
    : device_(from.device_),
      copy_(std::exchange(from.copy_, -1)),
      size_(from.size_),
      deadline_(from.deadline_),
      unreadable_(std::move(from.unreadable_)) {}
ReadableCopy::~ReadableCopy() {
    if (copy_ >= 0) ::close(copy_);
}

Result<ReadableCopy> ReadableCopy::of(int device, Bytes size) {
    const int copy = ::memfd_create("readable copy", MFD_CLOEXEC);
    if (copy < 0) return fail(Errc::io_failed, fmt::format("no memory to read into: {}", std::strerror(errno)));
    ReadableCopy made(device, copy, size);
    if (::ftruncate(copy, static_cast<off_t>(size.count)) != 0)
        return fail(Errc::io_failed, fmt::format("no memory to read into: {}", std::strerror(errno)));
    return made;
}

Result<void> ReadableCopy::take_ends_of(DeviceExtent part) {
    if (part.start >= size_) return {};
    const Bytes end = std::min(size_, part.start + part.length);
    const Bytes head = std::min(end, part.start + looked_at);
    if (auto read = take({part.start, head - part.start}); !read) return read;
    const Bytes tail = std::max(head, end > looked_at ? end - looked_at : 0_B);
    return take({tail, end - tail});
}

Result<void> ReadableCopy::take(DeviceExtent range) {
    std::array<char, chunk.count> buffer{};
    const Bytes end = range.start + range.length;
    Bytes step = chunk;
    for (Bytes at = range.start; at < end;) {
        const Bytes wanted = std::min(step, end - at);
        const bool in_time = std::chrono::steady_clock::now() < deadline_;
        const ssize_t got =
            in_time ? ::pread(device_, buffer.data(), wanted.count, static_cast<off_t>(at.count)) : ssize_t{-1};
        if (got > 0) {
            const auto count = static_cast<std::size_t>(got);
            if (::pwrite(copy_, buffer.data(), count, static_cast<off_t>(at.count)) != got)
                return fail(Errc::io_failed, fmt::format("no memory to read into: {}", std::strerror(errno)));
            at += Bytes{count};
            if (at % chunk == 0_B) step = chunk;
            continue;
        }
        if (got == 0) return fail(Errc::io_failed, fmt::format("the device ends at byte {}", at.count));
        const int error = in_time ? errno : EIO;
        if (error == EINTR) continue;
        if (!is_read_error(error))
            return fail(Errc::io_failed, fmt::format("reading at byte {} failed: {}", at.count, std::strerror(error)));
        if (in_time && step > piece) {
            step = piece;
            continue;
        }
        // Continue at the next whole piece: a partition may begin inside one.
        const Bytes next = in_time ? std::min(end, at - at % piece + piece) : end;
        unreadable_.push_back({at, next - at});
        at = next;
        if (at % chunk == 0_B) step = chunk;
    }
    return {};
}

std::vector<DeviceExtent> ReadableCopy::unreadable() const {
    std::vector<DeviceExtent> sorted = unreadable_, joined;
    std::sort(sorted.begin(), sorted.end(),
              [](const DeviceExtent& a, const DeviceExtent& b) { return a.start < b.start; });
    for (const DeviceExtent& range : sorted) {
        if (joined.empty() || range.start > joined.back().start + joined.back().length) {
            joined.push_back(range);
            continue;
        }
        const Bytes end = std::max(joined.back().start + joined.back().length, range.start + range.length);
        joined.back().length = end - joined.back().start;
    }
    return joined;
}

} // namespace mediarig::media
