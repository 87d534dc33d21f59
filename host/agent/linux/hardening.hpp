// SPDX-License-Identifier: GPL-3.0-or-later
/// Drops the rights that the agent does not need, to limit the damage of a fault in the agent or in a program that it
/// starts.
#pragma once

#include <span>
#include <string_view>

#include "host/base/process/caller.hpp"
#include "host/base/process/sandbox.hpp"
#include "host/base/result.hpp"

namespace mediarig::agent {

/// A capability that the agent keeps if the process has it, with its purpose.
struct KeptCapability {
    int number{};
    std::string_view name;
    bool for_root_alone{}; ///< kept only if the agent works for root
    std::string_view reason;
};
[[nodiscard]] std::span<const KeptCapability> kept_capabilities();

/// System calls that neither the agent nor its child programs need; they fail with EPERM.
[[nodiscard]] std::span<const std::string_view> refused_system_calls();

/// Irreversibly restricts this process and all its children: new files are accessible only to their owner; no new
/// privileges; only the capabilities of the table; the system calls above fail; no process may trace this process or
/// read its memory. Call this before starting any thread. Fails with io_failed.
[[nodiscard]] Result<void> drop_privileges(const process::Caller& caller);

} // namespace mediarig::agent
