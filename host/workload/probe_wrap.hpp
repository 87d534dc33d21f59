// SPDX-License-Identifier: GPL-3.0-or-later
/// After how many bytes a medium's addresses begin again. Inner part of the quick probe.
#pragma once

#include <optional>

#include "host/workload/probe_layout.hpp"
#include "host/workload/probe_sampler.hpp"

namespace mediarig::workload {

/// What was found at `at` was written to `written_at`, further up.
struct Alias {
    std::uint64_t at{}, written_at{};
};

/// Looks for the run of `layout`, which was written last, at places where it does not belong; nothing where it is
/// nowhere else. What is found is read twice.
[[nodiscard]] Result<std::optional<Alias>> find_alias(ProbeSampler& sampler, const ProbeLayout& layout);

/// The modulus behind an alias, exact to the sector; nothing where a second write does not confirm it.
/// The distance between the two places is a multiple of it. Of each prime factor of the distance it is tried whether
/// the modulus can do without it: what lies that much nearer is then the same memory, and reading it is enough to know.
[[nodiscard]] Result<std::optional<Bytes>> modulus_of(ProbeSampler& sampler, const ProbeLayout& layout, Alias alias);

} // namespace mediarig::workload
