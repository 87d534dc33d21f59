// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions of the guest's shell for scenarios.
#pragma once

#include <string_view>

namespace mediarig::lab {

/// `prepare` runs once after the boot. `clear_all` runs after each scenario and prints its failures. `fill` writes test
/// data to a device or folder, and `look` succeeds while all of it is there. The other functions make stacks.
[[nodiscard]] std::string_view guest_helpers();

} // namespace mediarig::lab
