// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/samples.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/agent/protocol/members.hpp"
#include "host/measure/base64.hpp"
#include "host/measure/varint.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

constexpr std::string_view encoding_name = "varint-base64";

} // namespace

json to_json(const SamplesChunk& chunk) {
    std::vector<std::uint8_t> packed;
    measure::encode_varints(chunk.latencies, packed);
    std::string text;
    measure::encode_base64(packed, text);
    return {{"cell", chunk.cell}, {"first", chunk.first}, {"encoding", encoding_name}, {"data", std::move(text)}};
}

Result<SamplesChunk> samples_chunk_from_json(const json& object) {
    auto cell = text_member(object, "cell");
    if (!cell) return fail(cell.error());
    const auto first = count_member(object, "first");
    if (!first) return fail(first.error());
    const auto encoding = text_member(object, "encoding");
    if (!encoding) return fail(encoding.error());
    if (*encoding != encoding_name) return fail(Errc::bad_format, "encoding: unknown: " + *encoding);
    const auto data = text_member(object, "data");
    if (!data) return fail(data.error());
    const auto packed = measure::decode_base64(*data);
    if (!packed) return fail(Errc::bad_format, "data: is no base64 with padding");
    auto latencies = measure::decode_varints(*packed);
    if (!latencies || latencies->empty())
        return fail(Errc::bad_format, "data: is no list of 1 to 8192 variable-length integers");
    return SamplesChunk{std::move(*cell), *first, std::move(*latencies)};
}

} // namespace mediarig::agent
