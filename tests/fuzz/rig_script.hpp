// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a fuzzer's bytes as a sequence of small decisions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rigproto/frame.hpp"

namespace mediarig::fuzz {

class Script {
public:
    explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    [[nodiscard]] bool ended() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }
    std::span<const std::uint8_t> piece() {
        const std::size_t size = std::min<std::size_t>(byte(), bytes_.size());
        const auto piece = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return piece;
    }
    /// A well-formed frame with any content. Sessions and numbers have few values, so that they collide.
    rigproto::Frame frame() {
        rigproto::Frame frame{.kind = static_cast<rigproto::Kind>(byte() % 6),
                              .session = static_cast<std::uint16_t>(byte() % 8),
                              .seq = byte(),
                              .op = byte()};
        for (const std::uint8_t value : piece())
            if (frame.size < rigproto::max_payload) frame.bytes[frame.size++] = value;
        return frame;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

} // namespace mediarig::fuzz
