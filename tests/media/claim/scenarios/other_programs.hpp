// SPDX-License-Identifier: GPL-3.0-or-later
/// Actions of other processes on the scenario's files: loop devices, mounts, swap, locks, open files. The model and its
/// real objects.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {

enum class UseKind : std::uint8_t {
    loop_mount,           ///< mounted through a loop device
    loop_mount_elsewhere, ///< in a mount namespace invisible to the subject
    loop_swap,
    loop_exclusive,  ///< a loop device is open with O_EXCL
    partition_mount, ///< of a loop device
    partition_exclusive,
    file_swap,
    file_mount, ///< erofs straight from the file
    file_write_lock,
    file_read_lock,
    file_open_for_writing,
    file_mapped, ///< shared, writable, its descriptor closed
    claimed,     ///< by another mediarig
    // The following kinds do not use the data, but are reasons for a refusal.
    file_open_for_reading,
    file_flock,
};
inline constexpr std::size_t use_kinds = 15;
[[nodiscard]] const char* name_of(UseKind kind);
/// True if data are in use, so that a write is wrong.
[[nodiscard]] bool is_use_of_data(UseKind kind);
/// True if a check before the next phase can detect it although the claim has the file open and locked.
[[nodiscard]] bool is_seen_late(UseKind kind);

/// A loop device attached by another process.
struct ForeignLoop {
    AttachedLoop loop;
    int file{-1};
    Range range; ///< of the file, at the bottom of the stack
    bool read_only{}, on_loop{};
    bool attached{true};
    int partitions{0};
};

/// A range of a file.
struct Place {
    int file{-1};
    Range range;
    bool operator==(const Place&) const = default;
};

struct Use {
    UseKind kind{};
    std::string text;
    int file{-1};
    Range range;
    int device{-1}; ///< number of its loop device, -1: none
    Range within;   ///< of that device
    int began{}, ended{-1};
    // Object that holds it.
    Descriptor fd{-1};
    void* mapped{};
    std::size_t mapped_length{};
    std::string mount_point, swap;
    pid_t holder{-1};
    int subject{-1}; ///< of a claim: number of the mediarig
    [[nodiscard]] bool stands() const { return ended < 0; }
};

class OtherPrograms {
public:
    ~OtherPrograms();
    OtherPrograms() = default;
    OtherPrograms(const OtherPrograms&) = delete;
    OtherPrograms& operator=(const OtherPrograms&) = delete;

    std::list<ForeignLoop> loops;
    std::list<Use> uses;
    /// Places where the kernel may have noted a failed mount in an ext4 superblock.
    std::vector<Place> failed_mounts;
    int now{0}; ///< event counter

    Use& add(Use use);
    /// Returns 0 or the errno of a failed end.
    int end(Use& use);
    int detach_loop(ForeignLoop& loop);
    [[nodiscard]] std::vector<ForeignLoop*> attached_loops();
    [[nodiscard]] std::vector<Use*> standing();
    [[nodiscard]] ForeignLoop* loop_of(int number);
    /// True if any process uses a part of the file, except the loop device `but` alone and this subject.
    [[nodiscard]] bool anybody_on(int file, int but, int subject);
    /// Uses through a moved loop device refer to another range from now on.
    void follow_window(int device, int file, const Range& range);
};

} // namespace mediarig::claim_scenarios
