// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/json/codec.hpp"
#include "host/measure/encoding.hpp"

namespace mediarig::agent {
namespace {

using Latencies = std::vector<std::uint32_t>;
using nlohmann::json;

json packed(const Latencies& latencies) {
    std::vector<std::uint8_t> bytes;
    measure::encode_varints(latencies, bytes);
    std::string text;
    measure::encode_base64(bytes, text);
    return text;
}

Result<Latencies> unpacked(const json& from) {
    const auto* text = from.get_ptr<const std::string*>();
    if (text == nullptr) return fail(Errc::bad_format, "must be a string");
    const auto bytes = measure::decode_base64(*text);
    if (!bytes) return fail(Errc::bad_format, "is not base64 with padding");
    auto latencies = measure::decode_varints(*bytes);
    if (!latencies || latencies->empty())
        return fail(Errc::bad_format, "is not a list of 1 to 8192 variable-length integers");
    return std::move(*latencies);
}

} // namespace

using codec::member;

constexpr auto members_of(codec::Tag<SamplesChunk>) {
    return codec::members(member("cell", &SamplesChunk::cell), member("first", &SamplesChunk::first),
                          codec::constant("encoding", "varint-base64"),
                          member("data", &SamplesChunk::latencies).shaped(packed, unpacked));
}

json to_json(const SamplesChunk& chunk) {
    return codec::encode(chunk);
}

Result<SamplesChunk> samples_chunk_from_json(const json& from) {
    return codec::decode<SamplesChunk>(from);
}

std::optional<Error> refusal_to_fill(const media::Medium& directory, const workload::JobSpec& job) {
    if (!workload::fills(job, directory.size)) return std::nullopt;
    const auto found = std::ranges::find(directory.refusals, media::RefusalKind::system_disk, &media::Refusal::kind);
    if (found == directory.refusals.end()) return std::nullopt;
    return Error{
        Errc::refused,
        fmt::format(
            "{}, which {} would fill: name a directory of the medium, or write less (--quick, or a \"span\" in a plan)",
            found->detail, job.suite)};
}

} // namespace mediarig::agent
