// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions of the guest's shell that scenarios are told with.
#pragma once

#include <string_view>

namespace mediarig::lab {

/// `prepare` once after the boot; `clear_all` after each scenario, which prints what it could not put away; `fill` puts
/// something to lose on a device or in a folder, `look` succeeds while all of it is there; the others make stacks.
[[nodiscard]] std::string_view guest_helpers();

} // namespace mediarig::lab
