// SPDX-License-Identifier: GPL-3.0-or-later
/// Description of this machine and its tools for `hello`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "host/agent/protocol/message.hpp"
#include "host/base/result.hpp"
#include "host/workload/io/job_control.hpp"

namespace mediarig::agent {

/// Runs each tool to get its version, which takes a few milliseconds per tool. `privileged` equals `may_mount`, and is
/// false without CAP_SYS_ADMIN.
[[nodiscard]] HelloReport describe_machine(bool may_mount);

/// Value of "model name : Fast CPU" in /proc/cpuinfo; empty if the line is missing (many ARM kernels).
[[nodiscard]] std::string cpu_of(std::string_view cpuinfo);
/// True if the effective capabilities in /proc/self/status contain CAP_SYS_ADMIN.
[[nodiscard]] bool has_sys_admin(std::string_view status);
/// The first word that begins like a version number ("1.3.0+git20220115"); empty if there is no such word.
[[nodiscard]] std::optional<std::string> version_in(std::string_view words);

/// Ends a driver that blocks a cancelled job: a transfer to a stopped or hanging driver cannot be interrupted, and the
/// job would wait forever. Until the job is cancelled, a thread only polls ten times per second. The thread ends when
/// the returned value is destroyed; `control` must outlive it.
[[nodiscard]] std::jthread end_stuck_driver(const workload::JobTarget& target, const workload::JobControl& control);

} // namespace mediarig::agent
