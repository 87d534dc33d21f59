// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads and writes text files, and profiles given as a file instead of the name of a known layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/conformance/profile.hpp"

namespace mediarig::app {

/// Larger files are not read: they are images or endless devices, not texts.
inline constexpr Bytes largest_text_file = 64_MiB;

/// Fails with bad_request; the error names the file and the cause (a directory, no such file, no permission, too
/// large). A FIFO without a writer counts as empty.
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& file);

/// True for a device and for a file whose first bytes do not occur in text (an image, a program). False if that cannot
/// be determined.
[[nodiscard]] bool is_not_text(const std::filesystem::path& file);

/// Defines when an existing file may be replaced.
enum class Existing : std::uint8_t {
    kept,  ///< do not replace
    known, ///< replace any contents: the writer has read the file before
    /// --force: replace a file with the same beginning that names mediarig; any other file may be an image and is kept.
    /// Plans, profiles and configurations are kept, because users edit them.
    replaced,
    edited, ///< like replaced, also for a file that users edit: the writer has checked that the file is of this kind
};

/// The part of a text that identifies its kind: the first line of a table, four bytes of JSON, a page or a PDF.
[[nodiscard]] std::string_view beginning_of(std::string_view text);

/// Checks, before hours of work, if write_text() can write a text with this beginning. Fails with bad_request (no such
/// folder, no permission, a directory, a block device, a file that must be kept or belongs to mediarig). An empty file
/// counts as missing.
[[nodiscard]] Result<void> check_output(const std::filesystem::path& file, std::string_view begins, Existing existing);
/// Atomic: writes FILE.part in the same folder and renames it; writes directly to a terminal or pipe. A killed process
/// leaves FILE.part. A file that another program created in the meantime is not replaced. Fails like check_output(),
/// and with io_failed (a full disk); the previous contents are then kept.
[[nodiscard]] Result<void> write_text(const std::filesystem::path& file, std::string_view text, Existing existing);
/// Overload for a text that `produce` delivers in parts; if `produce` fails, nothing is written and its error is
/// returned.
using WritePart = std::function<Result<void>(std::string_view part)>;
[[nodiscard]] Result<void> write_text(const std::filesystem::path& file, std::string_view begins, Existing existing,
                                      const std::function<Result<void>(const WritePart& write)>& produce);
/// Writes into a new file: the first unused name among "compare.plan.json", "compare-2.plan.json",
/// "compare-3.plan.json", … for `stem` "compare" and `ending` ".plan.json". Returns the name, which is unique even with
/// concurrent writers.
[[nodiscard]] Result<std::filesystem::path> write_new_text(const std::filesystem::path& folder, std::string_view stem,
                                                           std::string_view ending, std::string_view text);

/// Checks if a text or a store may be written under this name; the file need not exist. Fails with bad_request for
/// mediarig's own files: the lock, logs and sockets next to a store, device logs, the names of media. Follows links.
[[nodiscard]] Result<void> check_not_own(const std::filesystem::path& file);

/// True if the name contains a dot or a slash, unlike the names of known layouts.
[[nodiscard]] bool names_profile_file(const std::string& word);
/// Fails with bad_request; the error names the file and the position.
[[nodiscard]] Result<media::Profile> read_profile(const std::string& file);

} // namespace mediarig::app
