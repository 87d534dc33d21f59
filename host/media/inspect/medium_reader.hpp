// SPDX-License-Identifier: GPL-3.0-or-later
/// Bounded reads from an open medium; pread alone, so that nothing here can write or move a file position.
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

/// A medium that exists in memory alone: zeros, but for its pieces. What the pieces point at must outlive it.
struct MemoryMedium {
    struct Piece {
        Bytes at;
        Raw bytes;
    };
    struct Span {
        Bytes at, length;
    };
    Bytes size;
    std::vector<Piece> pieces;    ///< a later one covers an earlier one; what lies outside the medium is left out
    std::vector<Span> unreadable; ///< a read that touches one fails at its first byte in it
};

class MediumReader {
public:
    /// Borrows the descriptor. `size` is that of the medium.
    MediumReader(int descriptor, Bytes size) : fd_(descriptor), size_(size) {}
    /// Borrows the medium.
    explicit MediumReader(const MemoryMedium& medium) : memory_(&medium), size_(medium.size) {}
    /// From then on a read that would give out more than `most` in all fails with io_failed. The tightest limit holds.
    void limit_to(Bytes most) { most_ = std::min(most_, most); }

    /// Whether `length` more may be read and enough is left for what describes the medium. What is merely counted asks
    /// first: one large bitmap must not leave the next volume unread.
    [[nodiscard]] bool affords_to_count(Bytes length) const;

    [[nodiscard]] Bytes size() const { return size_; }
    /// Exactly `length` bytes. Fails with bad_format where the span lies outside the medium, io_failed where the medium
    /// does not give it; both name the offset.
    [[nodiscard]] Result<std::vector<std::byte>> read(Bytes offset, Bytes length) const;
    /// Given out so far.
    [[nodiscard]] Bytes bytes_read() const { return read_; }
    /// Asked for within the medium and not got, in the order of asking, each place once.
    [[nodiscard]] const std::vector<Unread>& unread() const { return unread_; }

private:
    /// Fills `bytes` from `offset` on; returns how many it got, and why not more.
    std::size_t fill(Bytes offset, std::vector<std::byte>& bytes, std::string& why) const;
    std::size_t fill_from_memory(Bytes offset, std::vector<std::byte>& bytes, std::string& why) const;
    Error refuse(Bytes at, Bytes length, const std::string& why) const;

    int fd_{-1};
    const MemoryMedium* memory_{};
    Bytes size_;
    Bytes most_{std::numeric_limits<std::uint64_t>::max()};
    mutable Bytes read_;
    mutable std::vector<Unread> unread_;
};

} // namespace mediarig::media
