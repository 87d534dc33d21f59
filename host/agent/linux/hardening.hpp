// SPDX-License-Identifier: GPL-3.0-or-later
/// What the agent gives up when it starts, so that a mistake in it, or in a program that it starts, can do less.
#pragma once

#include <span>
#include <string_view>

#include "host/base/process/caller.hpp"
#include "host/base/process/sandbox.hpp"
#include "host/base/result.hpp"

namespace mediarig::agent {

/// A capability that the agent keeps where it has it, and what for.
struct KeptCapability {
    int number{};
    std::string_view name;
    bool for_root_alone{}; ///< kept only while the agent works for root itself
    std::string_view reason;
};
[[nodiscard]] std::span<const KeptCapability> kept_capabilities();

/// System calls that neither the agent nor a program that it starts needs; they fail with EPERM.
[[nodiscard]] std::span<const std::string_view> refused_system_calls();

/// For good, for this process and all that it starts: files are made for their owner alone; no new privileges; the
/// capabilities of the table and no others; the system calls above are refused; nobody traces it or reads its memory.
/// To be called before any thread is started. Fails with io_failed.
[[nodiscard]] Result<void> give_up_what_is_not_needed(const process::Caller& caller);

} // namespace mediarig::agent
