// SPDX-License-Identifier: GPL-3.0-or-later
/// Bounded reads from an open medium; pread alone, so that nothing here can write or move a file position.
#pragma once

#include <cstddef>
#include <vector>

#include "common/units.hpp"
#include "host/result.hpp"

namespace mediarig::media {

class MediumReader {
public:
    /// Borrows the descriptor. `size` is that of the medium.
    MediumReader(int descriptor, Bytes size) : fd_(descriptor), size_(size) {}
    [[nodiscard]] Bytes size() const { return size_; }
    /// Exactly `length` bytes. Fails with bad_format where the span lies outside the medium, io_failed where the medium
    /// does not give it; both name the offset.
    [[nodiscard]] Result<std::vector<std::byte>> read(Bytes offset, Bytes length) const;
    /// Given out so far.
    [[nodiscard]] Bytes bytes_read() const { return read_; }

private:
    int fd_;
    Bytes size_;
    mutable Bytes read_;
};

/// Writes back what the kernel holds of the medium and forgets it, so that the next read is answered by the medium.
/// Fails with io_failed.
[[nodiscard]] Result<void> drop_cached(int descriptor);

} // namespace mediarig::media
