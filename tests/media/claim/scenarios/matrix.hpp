// SPDX-License-Identifier: GPL-3.0-or-later
/// The specification of the claim: the outcome for each object, each use of the object by another program, and each
/// name by which that program reaches the object. `test_claim_scenarios --matrix` prints the table for
/// docs/reference/safety.md, and play_cell() plays each cell on the real kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mediarig::claim_scenarios {

/// The claimed medium; for a partition, its disk is claimed.
enum class Object : std::uint8_t { disk, mapper, zram, loop, partition, image, folder };
inline constexpr std::size_t objects = 7;

/// Use of the object by the other program.
enum class Activity : std::uint8_t {
    unused, ///< the control experiment: only the name exists
    open_for_reading,
    open_for_writing,
    mapped, ///< mapped shared and writable, with its descriptor closed
    ofd_lock,
    posix_lock,
    flock,
    lease,
    in_flight, ///< its only descriptor is in a message that has not been received
    own_table, ///< open in a thread that has its own descriptor table
    io_uring,  ///< registered with a ring, with its descriptor closed
    guest,     ///< disk of a virtual machine
    mounted,
    mounted_directly, ///< mounted from the file, without a loop device
    swap,
    held,          ///< open with O_EXCL
    overlay_layer, ///< mounted, and one of its folders is a layer of an overlay
    claimed,       ///< claimed by another mediarig
    foreign_content,
    dead_loop, ///< the machine has a loop device of another user whose file is gone
};
inline constexpr std::size_t activities = 20;

/// Path by which the other program reaches the object.
enum class Route : std::uint8_t {
    own,   ///< the object's node or path
    alias, ///< another node of the same number, or a hard link
    link,  ///< a symbolic link
    file,  ///< the file below a loop device
    loop,  ///< a further loop device over the same bytes
    other_namespace,
    renamed,         ///< a name that was renamed or removed after the use began
    upper,           ///< through an overlay; its upper file is the object
    upper_elsewhere, ///< like `upper`, but the overlay is mounted in another mount namespace
    upper_renamed,   ///< like `upper`, but the overlay's upper folder was renamed after the mount
    merged,          ///< through the upper file; the object is the file that the overlay shows
    merged_lost,     ///< like `merged`, but the overlay was mounted with relative folders, or its upper folder was
                     ///< renamed
    lower,           ///< through an overlay; its lower file is the object
};
inline constexpr std::size_t routes = 13;

enum class Outcome : std::uint8_t {
    refused,
    asked,     ///< refused unless the user accepts the doubt by the flag that the message names
    declared,  ///< the use cannot be detected: the medium is erased
    permitted, ///< the use is harmless
    not_applicable
};
inline constexpr std::size_t outcomes = 5;

struct Cell {
    Object object{};
    Activity activity{};
    Route route{};
    bool operator==(const Cell&) const = default;
};

struct Verdict {
    Outcome outcome{};
    const char* reason{}; ///< empty for a refusal
};

[[nodiscard]] const char* name_of(Object object);
[[nodiscard]] const char* name_of(Activity activity);
[[nodiscard]] const char* name_of(Route route);
[[nodiscard]] const char* name_of(Outcome outcome);
[[nodiscard]] std::string name_of(const Cell& cell);

[[nodiscard]] std::vector<Cell> all_cells();
/// Applies the first rule that includes the cell. Throws std::logic_error if no rule does.
[[nodiscard]] Verdict verdict_on(const Cell& cell);
/// Rules that decide no cell, and cells that no rule decides; empty in a correct table.
[[nodiscard]] std::vector<std::string> faults_of_rules();

/// The table as Markdown, one row per use; objects with equal rows share a column.
[[nodiscard]] std::string matrix_as_markdown();
/// Returns the Markdown between the two markers of docs/reference/safety.md. Throws std::runtime_error if a marker is
/// missing.
[[nodiscard]] std::string matrix_in(const std::string& document);
/// Returns the document with the current table between its markers.
[[nodiscard]] std::string with_matrix(const std::string& document);

} // namespace mediarig::claim_scenarios
