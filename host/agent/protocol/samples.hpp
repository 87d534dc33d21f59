// SPDX-License-Identifier: GPL-3.0-or-later
/// A cell's raw log on the wire: chunks of variable-length integers in base64, three to four characters an operation.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::agent {

struct SamplesChunk {
    std::string cell;                     ///< id of the cell they belong to
    std::uint64_t first{};                ///< index of the first operation in the cell's log
    std::vector<std::uint32_t> latencies; ///< ns; 1 … measure::samples_per_chunk
    bool operator==(const SamplesChunk&) const = default;
};

/// Members `cell`, `first`, `encoding` and `data` of a `samples` notification.
[[nodiscard]] nlohmann::json to_json(const SamplesChunk& chunk);
/// Fails with bad_format, naming the member.
[[nodiscard]] Result<SamplesChunk> samples_chunk_from_json(const nlohmann::json& json);

/// A job in a directory that would take the last space of the file system that a machine runs from. Pure.

/// Nothing where `directory`, as identify told it, may have the job.
[[nodiscard]] std::optional<Error> refusal_to_fill(const media::Medium& directory, const workload::JobSpec& job);

} // namespace mediarig::agent
