// SPDX-License-Identifier: GPL-3.0-or-later
/// What this machine is and what it has, for `hello`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/agent/protocol/hello.hpp"
#include "host/result.hpp"

namespace mediarig::agent {

/// Asks each tool for its version, which takes a few milliseconds a tool. `privileged` is left as `may_mount` says,
/// and false without CAP_SYS_ADMIN.
[[nodiscard]] HelloReport describe_machine(bool may_mount);

/// "model name : Fast CPU" of /proc/cpuinfo; empty where there is none (many ARM kernels).
[[nodiscard]] std::string cpu_of(std::string_view cpuinfo);
/// Whether the effective capabilities in /proc/self/status hold CAP_SYS_ADMIN.
[[nodiscard]] bool has_sys_admin(std::string_view status);
/// The first word that starts like a version number ("1.3.0+git20220115"); nothing where there is none.
[[nodiscard]] std::optional<std::string> version_in(std::string_view words);

} // namespace mediarig::agent
