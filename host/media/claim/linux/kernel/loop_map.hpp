// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds the bytes that each loop device shows: resolves the stack below a loop device down to a file or a disk, by the
/// kernel's data and not by names. Never writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Bytes [start, end) of the file or disk at the bottom of a stack of devices.
struct ByteRange {
    static constexpr std::uint64_t no_end = ~std::uint64_t{0};
    std::optional<FileIdentity> file; ///< empty: the whole device `disk`
    DeviceNumber disk;
    std::uint64_t start{};
    std::uint64_t end{no_end}; ///< no_end is past the end of a file that may grow
    bool operator==(const ByteRange&) const = default;
};

[[nodiscard]] bool overlaps(const ByteRange& a, const ByteRange& b);
[[nodiscard]] ByteRange whole_file(FileIdentity file);

/// An attached loop device. If the kernel could not be queried, `doubt` gives the reason, and `file` or `device` is
/// the target of the path `backing_file` in this process, if it resolves.
struct LoopEntry {
    std::string name; ///< "loop3"
    DeviceNumber number;
    std::string backing_file;           ///< from sysfs: a path in any mount namespace, maybe with " (deleted)"
    std::optional<FileIdentity> file;   ///< backing file; empty if the device shows a block device
    std::optional<DeviceNumber> device; ///< backing block device; empty if the device shows a file
    Bytes offset;
    Bytes length;      ///< 0: up to the end of the backing file or device
    std::string doubt; ///< one line; empty if the data is from the kernel
    /// True if the kernel did not answer because the file is on a file system whose server is gone or does not respond:
    /// see is_served().
    bool served{};
    /// True if the kernel reported an error that only a file of a damaged or removed file system causes.
    bool broken_file{};
    bool operator==(const LoopEntry&) const = default;
};

enum class LoopAnswer : std::uint8_t { told, detached, not_told };
/// Fills in the kernel's data for a loop device with given name and number: file or device, window and flags. Fills in
/// the doubt if the kernel does not answer.
using LoopQuery = std::function<LoopAnswer(LoopEntry& loop)>;

/// Storage of a medium's bytes below all loop devices: a disk or a local file, or a file of a served file system
/// (mount_table.hpp).
enum class BackingStorage : std::uint8_t { local, served };

class LoopMap {
public:
    /// Without `ask`: uses LOOP_GET_STATUS64 on each node in /dev. A child process opens the node for reading for a
    /// short time; a device that does not respond takes two seconds the first time. Fails with io_failed if the loop
    /// devices cannot be listed.
    [[nodiscard]] static Result<LoopMap> read(const LoopQuery& ask = {});

    [[nodiscard]] const std::vector<LoopEntry>& entries() const { return entries_; }
    [[nodiscard]] const LoopEntry* find(DeviceNumber number) const; ///< null if detached
    /// Range of any block device: resolves a loop device to its backing bytes and a partition to a part of its disk;
    /// any other device gives its own bytes. Empty if the kernel gives no data or has no such device.
    [[nodiscard]] std::optional<ByteRange> range_of(DeviceNumber number) const;
    /// Loop devices that show at least one byte of this range.
    [[nodiscard]] std::vector<const LoopEntry*> showing(const ByteRange& range) const;
    /// Reason why the bytes that this loop device shows are unknown; empty if they are known.
    [[nodiscard]] std::string content_doubt(const LoopEntry& loop) const;
    /// Like content_doubt(), for each loop device that may show bytes of this medium: `range` is that of range_of() or
    /// whole_file(), `below` the storage of the medium. Without a range, for each loop device.
    [[nodiscard]] std::vector<std::string> doubts(const std::optional<ByteRange>& range, BackingStorage below) const;

private:
    [[nodiscard]] bool may_show(const LoopEntry& loop, const ByteRange& range, BackingStorage below, int depth) const;
    [[nodiscard]] std::optional<ByteRange> range_below(DeviceNumber number, int depth) const;
    [[nodiscard]] std::optional<ByteRange> range_of_loop(const LoopEntry& loop, int depth) const;
    std::vector<LoopEntry> entries_;
};

/// Nodes of the loop devices that show bytes of this device, except the device itself and those in `own`. Fails with
/// io_failed.
[[nodiscard]] Result<std::vector<std::string>> loops_over(DeviceNumber number, const std::vector<DeviceNumber>& own);

} // namespace mediarig::media
