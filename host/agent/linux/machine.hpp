// SPDX-License-Identifier: GPL-3.0-or-later
/// What this machine is and what it has, for `hello`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "host/agent/protocol/message.hpp"
#include "host/base/result.hpp"
#include "host/workload/jobs/job.hpp"

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

/// Ends a driver that keeps a cancelled job waiting.

/// A transfer to a driver that is stopped or hangs cannot be interrupted, so that a cancelled job would wait for it for
/// ever. Nothing runs until the job is cancelled but one look in a tenth of a second.
/// The thread ends with the value that is returned; `control` must outlive it.
[[nodiscard]] std::jthread end_stuck_driver(const workload::Target& target, const workload::JobControl& control);

} // namespace mediarig::agent
