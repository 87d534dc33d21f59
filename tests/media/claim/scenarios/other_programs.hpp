// SPDX-License-Identifier: GPL-3.0-or-later
/// Model of all other uses of the scenario's files, with the objects that keep them: loop devices, mounts, swap, locks,
/// open files.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/cell_user.hpp"
#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {

enum class UseKind : std::uint8_t {
    loop_mount,           ///< mounted through a loop device
    loop_mount_elsewhere, ///< like loop_mount, but in a mount namespace that the subject does not share
    loop_swap,
    loop_exclusive,  ///< a loop device is open with O_EXCL
    partition_mount, ///< a partition of a loop device is mounted
    partition_exclusive,
    file_swap,
    file_mount, ///< erofs mounted directly from the file
    file_write_lock,
    file_read_lock,
    file_open_for_writing,
    file_mapped,     ///< mapped shared and writable, with its descriptor closed
    claimed,         ///< claimed by another mediarig
    foreign_content, ///< the file contains a database
    by_matrix,       ///< a process with one activity of the matrix; whether it is a use of data depends on the claim
    // The following kinds do not use the data, but are reasons to refuse.
    file_open_for_reading,
    file_flock,
};
inline constexpr std::size_t use_kinds = 17;
[[nodiscard]] const char* name_of(UseKind kind);
/// True if the use must prevent writes to the data.
[[nodiscard]] bool is_use_of_data(UseKind kind);
/// True if a check before the next phase can detect the use although the claim itself has the file open and locked.
[[nodiscard]] bool is_seen_late(UseKind kind);

/// A loop device that another program has attached.
struct ForeignLoop {
    AttachedLoop loop;
    int file{-1};
    Range range; ///< range of the file at the bottom of the stack
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
    int device{-1}; ///< number of the loop device through which the file is used; -1: none
    Range within;   ///< range of that device
    int began{}, ended{-1};
    // Resources that keep the use active.
    Descriptor fd{-1};
    void* mapped{};
    std::size_t mapped_length{};
    std::string mount_point, swap;
    pid_t holder{-1};
    int subject{-1};                  ///< number of the mediarig that made a claim
    std::unique_ptr<CellUser> user{}; ///< for by_matrix: process that uses the object, and its route to it
    Activity activity{};
    Route route{Route::own};
    bool of_partition{};
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
    /// Positions of ext4 superblocks in which the kernel may have recorded a failed mount.
    std::vector<Place> failed_mounts;
    int now{0}; ///< event counter

    Use& add(Use use);
    /// Ends a use. Returns 0 or the errno of the resource that could not be released.
    int end(Use& use);
    int detach_loop(ForeignLoop& loop);
    [[nodiscard]] std::vector<ForeignLoop*> attached_loops();
    [[nodiscard]] std::vector<Use*> standing();
    [[nodiscard]] ForeignLoop* loop_of(int number);
    /// True if the file has a user other than the loop device `but` and this subject.
    [[nodiscard]] bool anybody_on(int file, int but, int subject);
    /// Updates the ranges of the uses through a loop device whose window was moved.
    void follow_window(int device, int file, const Range& range);
};

} // namespace mediarig::claim_scenarios
