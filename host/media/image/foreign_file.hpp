// SPDX-License-Identifier: GPL-3.0-or-later
/// Files that a person would miss and that are no medium's bytes.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Whether an open file may be a medium's bytes: no archive, database, program or disk image of another format. Fails
/// with refused; `name` is for the text. What has no mark of its own cannot be told from a medium.
[[nodiscard]] Result<void> check_raw(int image, const std::string& name);

/// The same of a loop device on it that shows a part: whether the file as a whole and that part may be a medium's
/// bytes.
[[nodiscard]] Result<void> check_raw_part(int image, const std::string& name, Bytes start, Bytes length);

} // namespace mediarig::media
