// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks a person to confirm that a medium may be written.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::cli {

enum class WriteEffect : std::uint8_t {
    erases,
    keeps_contents, ///< writes, and restores the contents afterwards
    writes_back,    ///< restores the contents after an interrupted check
    forgets         ///< removes the saved contents of an interrupted check
};

/// Returns the description of the medium (name, size, path, contents, serial) and the request to type the end of its
/// confirmation. The last line has no line end.
[[nodiscard]] std::string confirmation_request(const media::Medium& medium, const std::string& nickname,
                                               WriteEffect effect);

/// Prints the request to `out` and reads the answer from `in`; after a wrong answer once more. Returns the complete
/// confirmation of the medium. Fails with refused if no answer is right, or if the input ends.
[[nodiscard]] Result<std::string> confirmed_by(std::istream& in, std::ostream& out, const media::Medium& medium,
                                               const std::string& nickname, WriteEffect effect);

} // namespace mediarig::cli
