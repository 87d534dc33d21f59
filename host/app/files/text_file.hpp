// SPDX-License-Identifier: GPL-3.0-or-later
/// A maker's profile in a file, where a command also takes the name of a known layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/expect/profile.hpp"

namespace mediarig::app {

/// More is no text that a person wrote, or that we did: a medium's image, a device that never ends.
inline constexpr Bytes largest_text_file = 64_MiB;

/// Fails with bad_request, naming the file and the cause (a directory, no such file, no permission, too large). A FIFO
/// that nobody writes into is empty.
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& file);

/// Whether it is a device, or begins with bytes that are in no text (an image, a program). False where that cannot be
/// told.
[[nodiscard]] bool holds_no_text(const std::filesystem::path& file);

/// What may happen to a file that is there already.
enum class Existing : std::uint8_t {
    kept,     ///< nothing
    known,    ///< replaced, whatever it holds: its writer has read it before
    replaced, ///< --force: by what begins as it does; anything else may be a medium's image, and stays
};

/// Whether write_text() may be asked to write a text that begins so: to be known before hours of work. Fails with
/// bad_request (no such folder, no permission, a directory, a block device, a file that is to stay or is our own). An
/// empty file is as good as none.
[[nodiscard]] Result<void> check_output(const std::filesystem::path& file, std::string_view begins, Existing existing);
/// Whole or not at all: written beside it and renamed; what is no file (a terminal, a pipe) is written to. Fails as
/// check_output(), and with io_failed (a full disk); what was there before stays.
[[nodiscard]] Result<void> write_text(const std::filesystem::path& file, std::string_view text, Existing existing);
/// The same of a text that `produce` gives in parts; where that fails nothing is kept, and this fails as that did.
using WritePart = std::function<Result<void>(std::string_view part)>;
[[nodiscard]] Result<void> write_text(const std::filesystem::path& file, std::string_view begins, Existing existing,
                                      const std::function<Result<void>(const WritePart& write)>& produce);
/// The same into a file that did not exist: the first of "compare.plan.json", "compare-2.plan.json",
/// "compare-3.plan.json", … for `stem` "compare" and `ending` ".plan.json". Gives the name; nobody else is given it,
/// whoever writes there meanwhile.
[[nodiscard]] Result<std::filesystem::path> write_new_text(const std::filesystem::path& folder, std::string_view stem,
                                                           std::string_view ending, std::string_view text);

/// Whether a text or a store may be written under this name, be there a file or not. Fails with bad_request for what
/// mediarig keeps for itself: the lock, the logs and the sockets beside a store, the logs of devices, the names of
/// media. Links are followed.
[[nodiscard]] Result<void> check_not_own(const std::filesystem::path& file);

/// A name with a dot or a slash: no known layout has one.
[[nodiscard]] bool names_profile_file(const std::string& word);
/// Fails with bad_request, naming the file and the place in it.
[[nodiscard]] Result<media::Profile> read_profile(const std::string& file);

} // namespace mediarig::app
