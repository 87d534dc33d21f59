// SPDX-License-Identifier: GPL-3.0-or-later
/// Which requests belong to the host that introduced itself last, and which of them are new.
///
/// A session's nonce is what keeps frames of an earlier one out, of which a pty or a driver's buffer may hold many.
/// Within a session the sequence number rises by one with each request, and a host goes on only after an answer or a
/// new HELLO; so anything but the last number and the next one is an echo of the past.
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
    enum class Rights : std::uint8_t { full, read_only };
    enum class Verdict : std::uint8_t {
        stale,        ///< of another session, another carrier, or out of sequence: to be dropped
        nobody,       ///< the board has no session yet
        repeated,     ///< the last request once more: stored() is the answer
        introduction, ///< HELLO under a nonce not used lately
        next
    };

    /// `content`: CRC-32 of operation and payload.
    [[nodiscard]] constexpr Verdict judge(Carrier carrier, const rigproto::Frame& frame, std::uint32_t content) const {
        if (is(frame.session, carrier)) {
            if (frame.seq == seq_) return content == content_ ? Verdict::repeated : Verdict::stale;
            const bool follows = frame.seq == static_cast<std::uint8_t>(seq_ + 1);
            return follows && frame.op != static_cast<std::uint8_t>(rigproto::Op::hello) ? Verdict::next
                                                                                         : Verdict::stale;
        }
        if (frame.op != static_cast<std::uint8_t>(rigproto::Op::hello))
            return nonce() == 0 ? Verdict::nobody : Verdict::stale;
        // Also a late copy of an earlier HELLO is a HELLO: it must not throw out the session that came after it.
        const bool used = std::find(nonces_.begin(), nonces_.end(), frame.session) != nonces_.end();
        return frame.session == 0 || used ? Verdict::stale : Verdict::introduction;
    }

    constexpr void adopt(Carrier carrier, std::uint16_t nonce, Rights rights) {
        std::shift_right(nonces_.begin(), nonces_.end(), 1);
        nonces_[0] = nonce;
        carrier_ = carrier;
        rights_ = rights;
    }
    constexpr void store(std::uint8_t seq, std::uint32_t content, const rigproto::Frame& reply) {
        seq_ = seq;
        content_ = content;
        stored_ = reply;
    }

    [[nodiscard]] constexpr std::uint16_t nonce() const { return nonces_[0]; }
    [[nodiscard]] constexpr bool is(std::uint16_t nonce, Carrier carrier) const {
        return nonce != 0 && nonce == nonces_[0] && carrier == carrier_;
    }
    [[nodiscard]] constexpr bool read_only() const { return rights_ == Rights::read_only; }
    /// True: events go here.
    [[nodiscard]] constexpr bool speaks(Carrier carrier) const {
        return nonce() != 0 && carrier == carrier_ && !read_only();
    }
    [[nodiscard]] constexpr const rigproto::Frame& stored() const { return stored_; }

private:
    std::array<std::uint16_t, 4> nonces_{}; ///< newest first; 0: none
    Carrier carrier_{};
    Rights rights_{};
    std::uint8_t seq_{};
    std::uint32_t content_{};
    rigproto::Frame stored_;
};

} // namespace mediarig::firmware
