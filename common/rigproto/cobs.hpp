// SPDX-License-Identifier: GPL-3.0-or-later
/// Consistent Overhead Byte Stuffing (S. Cheshire, M. Baker, SIGCOMM 1997): a frame contains no 0x00, so 0x00 can end
/// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::rigproto {

/// Encodes `bytes` without a delimiter; returns the encoded length. `out` needs the size of `bytes` plus one byte, and
/// one more byte for each 254 bytes.
[[nodiscard]] constexpr std::size_t cobs_encode(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> out) {
    std::size_t code_at = 0; // position of the open block's length
    std::size_t at = 1;
    std::uint8_t code = 1;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != 0) {
            out[at++] = bytes[i];
            if (++code != 0xFF) continue;
            if (i + 1 == bytes.size()) break; // a full block at the end needs no further block
        }
        out[code_at] = code;
        code_at = at++;
        code = 1;
    }
    out[code_at] = code;
    return at;
}

/// Decodes byte by byte. Capacity: maximum length of a decoded message.
template <std::size_t Capacity>
class CobsDecoder {
public:
    enum class Step : std::uint8_t {
        more,      ///< the message continues or has not begun
        message,   ///< the byte was the delimiter, message() is complete
        malformed, ///< the delimiter was inside a block
        too_long   ///< longer than Capacity; reported once, then skipped up to the delimiter
    };

    constexpr Step feed(std::uint8_t byte) {
        if (byte == 0) return end();
        if (!begun_) begin();
        if (skipping_) return Step::more;
        if (left_ != 0) {
            --left_;
            return append(byte);
        }
        const bool zero_between = zero_follows_;
        zero_follows_ = byte != 0xFF;
        left_ = static_cast<std::uint8_t>(byte - 1);
        return zero_between ? append(0) : Step::more;
    }

    /// Valid after Step::message, until the next byte.
    [[nodiscard]] constexpr std::span<const std::uint8_t> message() const { return {bytes_.data(), size_}; }

private:
    constexpr void begin() {
        begun_ = true;
        size_ = 0;
        left_ = 0;
        zero_follows_ = false;
        skipping_ = false;
    }
    constexpr Step end() {
        if (!begun_) return Step::more; // ignore repeated delimiters
        begun_ = false;
        if (skipping_) return Step::more;
        return left_ == 0 ? Step::message : Step::malformed;
    }
    constexpr Step append(std::uint8_t byte) {
        if (size_ == Capacity) {
            skipping_ = true;
            return Step::too_long;
        }
        bytes_[size_++] = byte;
        return Step::more;
    }

    std::array<std::uint8_t, Capacity> bytes_{};
    std::size_t size_{};
    std::uint8_t left_{}; ///< bytes of this block that are still to come
    bool begun_{}, skipping_{}, zero_follows_{};
};

} // namespace mediarig::rigproto
