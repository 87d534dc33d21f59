// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/samples.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/agent/protocol/members.hpp"
#include "host/measure/varint.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

constexpr std::string_view encoding_name = "varint-base64";
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string base64_encode(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < present ? bytes[i + k] : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += k <= present ? alphabet[group >> (18 - 6 * k) & 0x3f] : '=';
    }
    return text;
}

Result<std::vector<std::uint8_t>> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return fail(Errc::bad_format, "base64: the length is no multiple of 4");
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t padding = !last ? 0 : text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t value = k + padding >= 4 ? 0 : alphabet.find(text[i + k]);
            if (value == std::string_view::npos)
                return fail(Errc::bad_format, "base64: unknown character at " + std::to_string(i + k));
            group = group << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const auto byte = static_cast<std::uint8_t>(group >> (16 - 8 * k));
            if (k + padding < 3)
                bytes.push_back(byte);
            else if (byte != 0)
                return fail(Errc::bad_format, "base64: bits after the last byte");
        }
    }
    return bytes;
}

json to_json(const SamplesChunk& chunk) {
    std::vector<std::uint8_t> packed;
    measure::encode_varints(chunk.latencies, packed);
    return {{"cell", chunk.cell}, {"first", chunk.first}, {"encoding", encoding_name}, {"data", base64_encode(packed)}};
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
    const auto packed = base64_decode(*data);
    if (!packed) return fail(Errc::bad_format, "data: " + packed.error().detail);
    auto latencies = measure::decode_varints(*packed);
    if (!latencies || latencies->empty())
        return fail(Errc::bad_format, "data: is no list of 1 to 8192 variable-length integers");
    return SamplesChunk{std::move(*cell), *first, std::move(*latencies)};
}

} // namespace mediarig::agent
