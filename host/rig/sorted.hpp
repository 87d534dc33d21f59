// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace mediarig::rig {

/// How what Rig::unload() answers begins where the medium went into a bin. It stands in the journal then, and tells a
/// resumed campaign that this medium is not there to be loaded again.
inline constexpr std::string_view into_a_bin = "into bin ";

} // namespace mediarig::rig
