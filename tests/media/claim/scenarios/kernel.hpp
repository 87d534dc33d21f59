// SPDX-License-Identifier: GPL-3.0-or-later
/// Wrappers of the system calls of the scenarios. Each wrapper returns 0 or an errno, and logs nothing.
#pragma once

#include <linux/loop.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/descriptor.hpp"

namespace mediarig::claim_scenarios {

inline constexpr std::uint64_t mib = std::uint64_t{1} << 20;
inline constexpr unsigned loop_major = 7;

struct Range {
    std::uint64_t begin{}, end{};
    [[nodiscard]] bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
    [[nodiscard]] bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
    bool operator==(const Range&) const = default;
};

struct LoopSetup {
    std::uint64_t offset{};
    std::uint64_t length{}; ///< 0: up to the end
    std::uint32_t sector{512};
    bool read_only{}, direct_io{}, partition_scan{};
};
/// Attached with autoclear. `fd` is open for reading, so that the number belongs to this device while `fd` is open.
struct AttachedLoop {
    int number{-1};
    Descriptor fd{-1};
};
[[nodiscard]] int attach(const std::string& backing, const LoopSetup& setup, AttachedLoop& loop);
/// Attaches a file to the same number again, after all other users have closed it.
[[nodiscard]] int attach_again(int number, const std::string& backing, const LoopSetup& setup, AttachedLoop& loop);
[[nodiscard]] int detach(AttachedLoop& loop);
[[nodiscard]] int move_window(int loop_fd, std::uint64_t offset, std::uint64_t length);
[[nodiscard]] int set_direct_io(int loop_fd, bool on);
[[nodiscard]] std::optional<loop_info64> status_of(int loop_fd);
[[nodiscard]] std::uint64_t size_of_device(int fd);
[[nodiscard]] int add_partition(int disk_fd, int number, std::uint64_t start, std::uint64_t length);
/// Deletes all partitions of an unused loop device. The kernel keeps them when the file is detached, and shows them to
/// the next user.
void delete_partitions(int disk_fd);
[[nodiscard]] std::string loop_node(int number);
[[nodiscard]] std::string partition_node(int loop, int partition);

[[nodiscard]] int mount_read_only(const std::string& source, const std::string& where, const std::string& type);
[[nodiscard]] int bind_mount(const std::string& source, const std::string& where);
[[nodiscard]] int unmount_at(const std::string& where);
/// Mounts in the mount namespace of a child, which lives until it is ended. `holder` is that child. `base` is the mount
/// below which other namespaces must not see the new mount.
[[nodiscard]] int mount_elsewhere(const std::string& base, const std::string& source, const std::string& where,
                                  const std::string& type, pid_t& holder);
/// Gives this process its own mount namespace. Children with their own namespaces see later mounts below `base`.
[[nodiscard]] int enter_own_namespace(const std::string& base);
void end_child(pid_t child);

/// Switches on swap in an area with one good page (see swap_header()). A page of this process, filled with zeros,
/// occupies the good page immediately and is not written, so the area never contains memory of other processes while a
/// subject may write to it.
[[nodiscard]] int swap_on(const std::string& path);
[[nodiscard]] int swap_off(const std::string& path);
/// Takes or releases a lock of this open file description. `length` 0: up to the end.
[[nodiscard]] int lock_range(int fd, short type, std::int64_t start, std::int64_t length);
[[nodiscard]] int exchange(const std::string& one, const std::string& other);
/// Atomically replaces the file at `path` with a symbolic link.
[[nodiscard]] int put_link(const std::string& path, const std::string& leads_to);
[[nodiscard]] int make_block_node(const std::string& path, int loop);

/// Numbers of the loop devices of this machine whose backing file's path begins with `prefix`.
[[nodiscard]] std::vector<int> loops_below(const std::string& prefix);
/// Writes the cached pages of these devices to their backing files.
void flush_loops(const std::vector<int>& numbers);
/// "ok" for 0, otherwise the text of the error.
[[nodiscard]] std::string text_for(int error);

} // namespace mediarig::claim_scenarios
