// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a file or block device opened for a test the way the job asks, and how far that was possible. Called once an
/// opening, a cell or a chunk of a verify pass; an engine takes the descriptor and moves its bytes without it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/units.hpp"
#include "host/result.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// What became of a transfer: the number of bytes moved, and the errno that ended it early (0: none).
struct Moved {
    std::size_t bytes{};
    int error{};
};

struct Dropped {
    int error{};               ///< errno of the write-back; 0 when it succeeded
    std::optional<Bytes> left; ///< still resident afterwards; nothing where the system does not tell
    [[nodiscard]] bool verified() const { return error == 0 && left && left->count == 0; }
};

class MediumFile {
public:
    virtual ~MediumFile() = default;

    /// For an engine; open as long as this lives and until give_up_direct().
    [[nodiscard]] virtual int fd() const = 0;
    [[nodiscard]] virtual CachePolicy used() const = 0;
    /// Direct access was asked for, and the file system refused it when opening or at the first transfer.
    [[nodiscard]] virtual bool direct_refused() const = 0;
    /// Goes on without direct access: some drivers accept it when opening and then refuse the transfer.
    [[nodiscard]] virtual Result<void> give_up_direct() = 0;
    /// The size of the device or file as the system has it.
    [[nodiscard]] virtual Result<Bytes> size() const = 0;
    /// True where the driver is a process that reads and writes the device through the device's own page cache (FUSE).
    [[nodiscard]] virtual bool served_by_user_space() const = 0;
    /// Where in its volume the first byte of the file lies, once it was written and flushed; nothing where the file
    /// system does not tell, and for a device.
    [[nodiscard]] virtual std::optional<Bytes> place() const { return std::nullopt; }

    /// Writes until all is written; a medium that takes nothing and says nothing counts as EIO.
    [[nodiscard]] virtual Moved write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
    /// Reads until all is read; the end of the file ends it early without an error.
    [[nodiscard]] virtual Moved read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    /// Everything written so far is on the medium when it returns 0, else errno.
    [[nodiscard]] virtual int flush() const = 0;
    /// And the file's attributes as well (its times).
    [[nodiscard]] virtual int flush_attributes() const { return flush(); }
    /// From now on read() and write() copy from and to a mapping of the first `length` bytes, to which the file is made
    /// to grow, and both flushes write the mapping back; until unmap(). An errno: this file system has no mappings
    /// (ENODEV, EINVAL), no room, no memory.
    [[nodiscard]] virtual int map(Bytes length) {
        (void)length;
        return ENODEV;
    }
    virtual void unmap() {}
    /// In how many pieces it lies on the medium; nothing where the file system does not tell.
    [[nodiscard]] virtual std::optional<std::uint64_t> pieces() const { return {}; }
    /// Writes back what is still in the page cache, then drops the pages of the first `size` bytes.
    [[nodiscard]] virtual Dropped drop_cache(Bytes size) const = 0;
    /// Before single requests here and there: nothing is to be read ahead of them.
    virtual void expect_random() const = 0;
    /// Drops the pages of a range if they are clean; checks nothing. 0 or errno.
    [[nodiscard]] virtual int forget(std::uint64_t offset, Bytes length) const = 0;
};

} // namespace mediarig::workload
