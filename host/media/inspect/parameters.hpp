// SPDX-License-Identifier: GPL-3.0-or-later
/// Named values of a volume, in the order in which people read them. Bytes unless the name says otherwise.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mediarig::media {

using Parameters = std::vector<std::pair<std::string, std::string>>;

} // namespace mediarig::media
