// SPDX-License-Identifier: GPL-3.0-or-later
/// Transfer format of a cell's raw log: chunks of variable-length integers in base64, three to four characters per
/// operation.
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
    std::string cell;                     ///< id of the cell
    std::uint64_t first{};                ///< index of the first operation in the cell's log
    std::vector<std::uint32_t> latencies; ///< ns; 1 … measure::samples_per_chunk
    bool operator==(const SamplesChunk&) const = default;
};

/// Members `cell`, `first`, `encoding` and `data` of a `samples` notification.
[[nodiscard]] nlohmann::json to_json(const SamplesChunk& chunk);
/// Decodes these members. Fails with bad_format, naming the member.
[[nodiscard]] Result<SamplesChunk> samples_chunk_from_json(const nlohmann::json& json);

/// Refuses a job that would use the last free space of the root file system. Empty if the job is allowed in
/// `directory`, which is the result of `identify`. Pure.
[[nodiscard]] std::optional<Error> refusal_to_fill(const media::Medium& directory, const workload::JobSpec& job);

} // namespace mediarig::agent
