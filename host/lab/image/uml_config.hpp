// SPDX-License-Identifier: GPL-3.0-or-later
/// Configuration of the kernel for virtual time. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mediarig::lab {

/// Returns the options that differ from `make allnoconfig`, one "CONFIG_NAME=value" per line.
[[nodiscard]] std::string_view uml_config();
/// Returns the lines of uml_config() that the kernel's final configuration lacks.
[[nodiscard]] std::vector<std::string> lost_options(std::string_view final_config);

/// Returns the source arch/um/os-Linux/skas/process.c with a change: the kernel of the host kills the guest's processes
/// when the guest's kernel ends. Without it they would continue as processes of the user, with the guest's system calls
/// on the host. Returns an empty text if the source has another form.
[[nodiscard]] std::string with_kill_at_exit(std::string source);

/// Returns the source arch/um/drivers/line.c with a change: input of a serial line is an event in virtual time. Without
/// it the kernel loses input that arrives while it waits for its calendar, because it clears the notification of epoll
/// before its interrupts are enabled. Returns an empty text if the source has another form.
[[nodiscard]] std::string with_timed_lines(std::string source);

/// Returns the source arch/um/drivers/ssl.c with a change: a full reader does not throttle its serial line. A throttled
/// line releases its interrupt and never requests it again. Returns an empty text if the source has another form.
[[nodiscard]] std::string without_throttle(std::string source);

} // namespace mediarig::lab
