// SPDX-License-Identifier: GPL-3.0-or-later
/// Determines which requests belong to a host that has greeted, and which of them are new.
///
/// A session's nonce rejects frames of earlier sessions, which may remain in a pty or in a driver's buffer. Within a
/// session the sequence number rises by one per request, and a host continues only after an answer or a new HELLO. So
/// every number other than the last and the next one is stale.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/rigproto/frame.hpp"
#include "common/rigproto/messages.hpp"
#include "firmware/core/link/board_info.hpp"

namespace mediarig::firmware {

class Session {
public:
    enum class Rights : std::uint8_t {
        full,
        looks,   ///< read-only host: all requests without side effects
        foreign, ///< host of another major version: status and clock, which are equal in all versions
    };
    enum class Verdict : std::uint8_t {
        stale,    ///< out of order: a stale frame
        changed,  ///< the last number, but another content: a protocol violation
        repeated, ///< the last request again: stored() is the answer
        next
    };

    /// Call only for a frame for which is() returns true. `content`: CRC-32 of operation and payload.
    [[nodiscard]] constexpr Verdict judge(const rigproto::Frame& frame, std::uint32_t content) const {
        if (frame.seq == seq_) return content == content_ ? Verdict::repeated : Verdict::changed;
        const bool follows = frame.seq == static_cast<std::uint8_t>(seq_ + 1);
        return follows && frame.op != static_cast<std::uint8_t>(rigproto::Op::hello) ? Verdict::next : Verdict::stale;
    }

    /// `continues`: true if the same host had the session until now.
    constexpr void adopt(HostInterface carrier, std::uint16_t nonce, Rights rights, bool continues = false) {
        std::shift_right(nonces_.begin(), nonces_.end(), 1);
        nonces_[0] = nonce;
        carrier_ = carrier;
        rights_ = rights;
        open_ = true;
        owned_ = static_cast<std::uint8_t>(continues && owned_ < nonces_.size() ? owned_ + 1 : continues ? owned_ : 1);
    }
    constexpr void close() { open_ = false; }
    /// True for a known nonce: a late copy of an earlier HELLO must not begin a session again.
    [[nodiscard]] constexpr bool used(std::uint16_t nonce) const {
        return nonce == 0 || std::find(nonces_.begin(), nonces_.end(), nonce) != nonces_.end();
    }
    /// True if this is a nonce of the host that has the session. The host may not know the newest one: its answer may
    /// have been lost.
    [[nodiscard]] constexpr bool owner_knows(std::uint16_t nonce) const {
        return nonce != 0 && std::find(nonces_.begin(), nonces_.begin() + owned_, nonce) != nonces_.begin() + owned_;
    }
    constexpr void store(std::uint8_t seq, std::uint32_t content, const rigproto::Frame& reply) {
        seq_ = seq;
        content_ = content;
        stored_ = reply;
    }

    [[nodiscard]] constexpr std::uint16_t nonce() const { return nonces_[0]; }
    [[nodiscard]] constexpr bool is(std::uint16_t nonce, HostInterface carrier) const {
        return nonce != 0 && nonce == nonces_[0] && carrier == carrier_;
    }
    [[nodiscard]] constexpr bool open() const { return open_; }
    [[nodiscard]] constexpr Rights rights() const { return rights_; }
    /// Returns true if events go to this carrier.
    [[nodiscard]] constexpr bool speaks(HostInterface carrier) const { return open_ && carrier == carrier_; }
    [[nodiscard]] constexpr const rigproto::Frame& stored() const { return stored_; }

private:
    std::array<std::uint16_t, 4> nonces_{}; ///< newest first; 0: none
    HostInterface carrier_{};
    Rights rights_{};
    bool open_{};
    std::uint8_t owned_{}; ///< number of entries of nonces_ from the current host
    std::uint8_t seq_{};
    std::uint32_t content_{};
    rigproto::Frame stored_;
};

} // namespace mediarig::firmware
