// SPDX-License-Identifier: GPL-3.0-or-later
/// Output queue of one carrier in bounded memory. A host has one request in flight, so one answer is enough, and an
/// answer that was not fetched may be replaced by the next one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/rigproto/codec.hpp"

namespace mediarig::firmware {

class Outbox {
public:
    void confirm_stop(const rigproto::Frame& frame) { stop_ = frame; }
    void answer(const rigproto::Frame& frame) { answer_ = frame; }
    /// Queues an answer outside a session, unless another answer is pending.
    void mention(const rigproto::Frame& frame) {
        if (!answer_) answer_ = frame;
    }

    /// Starts a new session: drops old output; a delimiter ends a partial frame.
    void restart_session() {
        sending_ = {};
        sending_.size = 1;
        sent_ = 0;
        answer_.reset();
    }

    /// Fills `out`: confirmations of STOP first, then the answer, then the frames from `next` (std::optional<Frame>).
    template <class Next>
    std::size_t take(std::span<std::uint8_t> out, Next next) {
        std::size_t taken = 0;
        while (taken < out.size()) {
            if (sent_ == sending_.size && !load(next)) break;
            const std::size_t chunk = std::min<std::size_t>(out.size() - taken, sending_.size - sent_);
            std::copy_n(sending_.bytes.begin() + static_cast<std::ptrdiff_t>(sent_), chunk,
                        out.begin() + static_cast<std::ptrdiff_t>(taken));
            taken += chunk;
            sent_ += chunk;
        }
        return taken;
    }

private:
    template <class Next>
    bool load(Next& next) {
        std::optional<rigproto::Frame> frame;
        if (stop_)
            frame.swap(stop_);
        else if (answer_)
            frame.swap(answer_);
        else
            frame = next();
        if (!frame) return false;
        sending_ = rigproto::encode(*frame);
        sent_ = 0;
        return true;
    }

    std::optional<rigproto::Frame> stop_, answer_;
    rigproto::Encoded sending_;
    std::size_t sent_{};
};

} // namespace mediarig::firmware
