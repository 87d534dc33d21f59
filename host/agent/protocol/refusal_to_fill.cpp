// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/refusal_to_fill.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mediarig::agent {

std::optional<Error> refusal_to_fill(const media::Medium& directory, const workload::JobSpec& job) {
    if (!workload::fills(job, directory.size)) return std::nullopt;
    const auto found = std::ranges::find(directory.refusals, media::RefusalKind::system_disk, &media::Refusal::kind);
    if (found == directory.refusals.end()) return std::nullopt;
    return Error{Errc::refused, fmt::format("{}, which {} would fill: name a directory of the medium, or have less "
                                            "written (--quick, or a \"span\" in a plan)",
                                            found->detail, job.suite)};
}

} // namespace mediarig::agent
