// SPDX-License-Identifier: GPL-3.0-or-later
/// A job in a directory that would take the last space of the file system that a machine runs from. Pure.
#pragma once

#include <optional>

#include "host/media/medium.hpp"
#include "host/result.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::agent {

/// Nothing where `directory`, as identify told it, may have the job.
[[nodiscard]] std::optional<Error> refusal_to_fill(const media::Medium& directory, const workload::JobSpec& job);

} // namespace mediarig::agent
