// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace mediarig::media {

/// Who has files open below `path` or stands in it: "process 812 (fio), process 900 (bash)", at most five;
/// "an unknown process" where /proc shows nobody.
[[nodiscard]] std::string holders_of(const std::string& path);

} // namespace mediarig::media
