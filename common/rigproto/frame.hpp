// SPDX-License-Identifier: GPL-3.0-or-later
/// All messages between host and rig use this frame. Its bytes are the same over USB-CDC, UART and pty.
///
/// On the wire: COBS, ended by 0x00. Decoded, little-endian:
///
///     version:4 (high) kind:4 | session u16 | seq u8 | op u8 | payload 0..119 | crc32 u32
///
/// There is no length field, because COBS delimits the frame. The checksum is CRC-32/IEEE over all preceding bytes
/// (check value of "123456789": 0xCBF43926). No heap, no exceptions: one implementation for both ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::rigproto {

inline constexpr std::uint8_t frame_version = 1;
inline constexpr std::size_t max_payload = 119;
inline constexpr std::size_t max_decoded = 128; ///< header 5, payload 119, check 4
inline constexpr std::size_t max_encoded = 130; ///< one more COBS code byte, and the delimiter

enum class Kind : std::uint8_t {
    request = 0,   ///< host -> board; one in flight
    response = 1,  ///< board -> host; echoes session, seq and op
    event = 2,     ///< board -> host; kept until acked
    event_ack = 3, ///< host -> board; cumulative
    log = 4,       ///< board -> host; text, may be lost
    stop = 5       ///< host -> board; any session, executed at parse time
};

struct Frame {
    Kind kind{};
    std::uint16_t session{}; ///< nonce chosen by the host in HELLO; 0: none yet
    std::uint8_t seq{};
    std::uint8_t op{}; ///< Op of a request and its response, EventKind of an event
    std::uint8_t size{};
    std::array<std::uint8_t, max_payload> bytes{};

    [[nodiscard]] constexpr std::span<const std::uint8_t> payload() const { return {bytes.data(), size}; }
    constexpr bool operator==(const Frame& other) const {
        if (kind != other.kind || session != other.session || seq != other.seq || op != other.op || size != other.size)
            return false;
        for (std::size_t i = 0; i < size; ++i)
            if (bytes[i] != other.bytes[i]) return false;
        return true;
    }
};

} // namespace mediarig::rigproto
