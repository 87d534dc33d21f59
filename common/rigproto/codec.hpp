// SPDX-License-Identifier: GPL-3.0-or-later
/// Encodes and decodes frames (format: frame.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/crc32.hpp"
#include "common/rigproto/cobs.hpp"
#include "common/rigproto/frame.hpp"

namespace mediarig::rigproto {

inline constexpr std::size_t header_size = 5;
inline constexpr std::size_t check_size = 4;
inline constexpr auto last_kind = Kind::stop;

/// An encoded frame, including the delimiter.
struct Encoded {
    std::array<std::uint8_t, max_encoded> bytes{};
    std::uint8_t size{};
    [[nodiscard]] constexpr std::span<const std::uint8_t> span() const& { return {bytes.data(), size}; }
    std::span<const std::uint8_t> span() const&& = delete; ///< would dangle
};

[[nodiscard]] constexpr Encoded encode(const Frame& frame) {
    std::array<std::uint8_t, max_decoded> plain{};
    std::size_t at = 0;
    plain[at++] = static_cast<std::uint8_t>(frame_version << 4 | static_cast<std::uint8_t>(frame.kind));
    plain[at++] = static_cast<std::uint8_t>(frame.session & 0xFF);
    plain[at++] = static_cast<std::uint8_t>(frame.session >> 8);
    plain[at++] = frame.seq;
    plain[at++] = frame.op;
    for (const std::uint8_t byte : frame.payload()) plain[at++] = byte;
    const std::uint32_t check = crc32({plain.data(), at});
    for (unsigned shift = 0; shift < 32; shift += 8) plain[at++] = static_cast<std::uint8_t>(check >> shift & 0xFF);
    Encoded out;
    const std::size_t size = cobs_encode({plain.data(), at}, out.bytes);
    out.bytes[size] = 0;
    out.size = static_cast<std::uint8_t>(size + 1);
    return out;
}

/// Finds frames in a byte stream and resynchronises after damage at the next delimiter. Trusts no byte.
class Decoder {
public:
    enum class Outcome : std::uint8_t {
        more,  ///< no complete frame yet
        frame, ///< frame() is complete and its checksum is correct
        bad_cobs,
        bad_crc, ///< also if the frame is too short for header and checksum
        too_long,
        unknown ///< complete, but of an unsupported version or kind
    };

    constexpr Outcome feed(std::uint8_t byte) {
        switch (cobs_.feed(byte)) {
            case CobsDecoder<max_decoded>::Step::message:
                return open(cobs_.message());
            case CobsDecoder<max_decoded>::Step::malformed:
                return Outcome::bad_cobs;
            case CobsDecoder<max_decoded>::Step::too_long:
                return Outcome::too_long;
            case CobsDecoder<max_decoded>::Step::more:
                break;
        }
        return Outcome::more;
    }

    /// Valid after Outcome::frame, until the next frame.
    [[nodiscard]] constexpr const Frame& frame() const { return frame_; }

private:
    constexpr Outcome open(std::span<const std::uint8_t> plain) {
        if (plain.size() < header_size + check_size) return Outcome::bad_crc;
        const std::size_t end = plain.size() - check_size;
        std::uint32_t check = 0;
        for (std::size_t i = 0; i < check_size; ++i) check |= static_cast<std::uint32_t>(plain[end + i]) << 8 * i;
        if (check != crc32(plain.first(end))) return Outcome::bad_crc;
        if (plain[0] >> 4 != frame_version || (plain[0] & 15) > static_cast<std::uint8_t>(last_kind))
            return Outcome::unknown;
        frame_.kind = static_cast<Kind>(plain[0] & 15);
        frame_.session = static_cast<std::uint16_t>(plain[1] | plain[2] << 8);
        frame_.seq = plain[3];
        frame_.op = plain[4];
        frame_.size = static_cast<std::uint8_t>(end - header_size);
        for (std::size_t i = 0; i < frame_.size; ++i) frame_.bytes[i] = plain[header_size + i];
        return Outcome::frame;
    }

    CobsDecoder<max_decoded> cobs_;
    Frame frame_;
};

} // namespace mediarig::rigproto
