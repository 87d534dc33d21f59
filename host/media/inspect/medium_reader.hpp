// SPDX-License-Identifier: GPL-3.0-or-later
/// Bounded reads from an open medium. Uses only pread, so it cannot write or move a file position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// A medium in memory: contains zeros except in its pieces. It keeps references to the bytes of the pieces.
struct MemoryMedium {
    struct Piece {
        Bytes at;
        Raw bytes;
    };
    struct Span {
        Bytes at, length;
    };
    Bytes size;
    std::vector<Piece> pieces;    ///< later pieces override earlier pieces; parts outside the medium are ignored
    std::vector<Span> unreadable; ///< a read that touches one of these ranges fails at the first unreadable byte
};

class MediumReader {
public:
    /// Does not own the descriptor. `size` is the size of the medium.
    MediumReader(int descriptor, Bytes size) : fd_(descriptor), size_(size) {}
    /// Keeps a reference to `medium`.
    explicit MediumReader(const MemoryMedium& medium) : memory_(&medium), size_(medium.size) {}
    /// Limits the total of later reads to `most`; reads above the limit fail with io_failed. The smallest limit
    /// applies.
    void limit_to(Bytes most) { most_ = std::min(most_, most); }
    /// Limits the failed reads to `most`; then all reads fail at once. A failing card may need seconds for each.
    void limit_failures_to(std::size_t most) { most_failures_ = most; }

    /// True if `length` more bytes may be read and the rest of the limit suffices for the structures of the medium.
    /// Check this before reading data only to count its contents: one large bitmap must not prevent the next volume
    /// from being read.
    [[nodiscard]] bool has_count_budget(Bytes length) const;

    [[nodiscard]] Bytes size() const { return size_; }
    /// Reads exactly `length` bytes. Fails with bad_format if the range is outside the medium, with io_failed if the
    /// range cannot be read; both errors name the offset.
    [[nodiscard]] Result<std::vector<std::byte>> read(Bytes offset, Bytes length) const;
    /// Like read(), for data that no parameter depends on: a failure is not added to unread().
    [[nodiscard]] Result<std::vector<std::byte>> sample(Bytes offset, Bytes length) const;
    /// Total number of bytes read.
    [[nodiscard]] Bytes bytes_read() const { return read_; }
    /// Failed reads within the medium, in the order of the requests, each range once.
    [[nodiscard]] const std::vector<UnreadRange>& unread() const { return unread_; }

private:
    /// Fills `bytes` from `offset` on; returns the number of bytes read, and in `why` the reason for a short read.
    std::size_t fill(Bytes offset, std::vector<std::byte>& bytes, std::string& why) const;
    std::size_t fill_from_memory(Bytes offset, std::vector<std::byte>& bytes, std::string& why) const;
    Error refuse(Bytes at, Bytes length, const std::string& why) const;

    int fd_{-1};
    const MemoryMedium* memory_{};
    Bytes size_;
    Bytes most_{std::numeric_limits<std::uint64_t>::max()};
    std::size_t most_failures_{std::numeric_limits<std::size_t>::max()};
    mutable std::size_t failures_{};
    mutable Bytes read_;
    mutable std::vector<UnreadRange> unread_;
};

} // namespace mediarig::media
