// SPDX-License-Identifier: GPL-3.0-or-later
/// Events that wait until the host has said that it keeps them. Never overwrites one.
#pragma once

#include <cstdint>
#include <optional>

#include "common/rigproto/wire.hpp"
#include "firmware/core/link/retained.hpp"

namespace mediarig::firmware {

/// Who may use the last places.
enum class Reserve : std::uint8_t {
    no, ///< news that STATUS also tells: refused from busy_events on
    yes ///< safety, and how jobs end
};

class EventRing {
public:
    explicit EventRing(Retained& retained) : retained_(&retained) {}

    /// The event's id, or 0 when there was no room.
    template <class Body>
    std::uint32_t push(rigproto::EventKind kind, std::uint64_t now_us, const Body& body, Reserve reserve) {
        rigproto::Frame frame;
        rigproto::append(frame, body);
        static_assert(rigproto::size_of<Body>() <= sizeof(KeptEvent::bytes));
        return keep(kind, now_us, frame.payload(), reserve);
    }
    /// An event that is its head alone.
    std::uint32_t push(rigproto::EventKind kind, std::uint64_t now_us, Reserve reserve) {
        return keep(kind, now_us, {}, reserve);
    }

    /// Forgets this event and all before it. What was never pushed cannot be acked: false.
    bool acknowledge(std::uint32_t id) {
        const EventIds ids = retained_->event_ids.get();
        if (id >= ids.next) return false;
        if (id >= ids.oldest) retained_->event_ids.set({id + 1, ids.next});
        return true;
    }

    [[nodiscard]] std::uint8_t waiting() const {
        const EventIds ids = retained_->event_ids.get();
        return static_cast<std::uint8_t>(ids.next - ids.oldest);
    }
    [[nodiscard]] bool busy() const { return waiting() >= rigproto::busy_events; }
    [[nodiscard]] EventIds ids() const { return retained_->event_ids.get(); }
    /// For ids().oldest <= id < ids().next.
    [[nodiscard]] const KeptEvent& at(std::uint32_t id) const {
        return retained_->events[id % rigproto::kept_events].get();
    }
    /// Events that found no room since the board started.
    [[nodiscard]] std::uint32_t unkept() const { return unkept_; }

private:
    std::uint32_t keep(rigproto::EventKind kind, std::uint64_t now_us, std::span<const std::uint8_t> body,
                       Reserve reserve) {
        if (waiting() >= (reserve == Reserve::yes ? rigproto::kept_events : rigproto::busy_events)) {
            ++unkept_;
            return 0;
        }
        const EventIds ids = retained_->event_ids.get();
        KeptEvent event{now_us, ids.next, kind, static_cast<std::uint8_t>(body.size()), {}};
        for (std::size_t i = 0; i < body.size(); ++i) event.bytes[i] = body[i];
        retained_->events[ids.next % rigproto::kept_events].set(event);
        retained_->event_ids.set({ids.oldest, ids.next + 1});
        return event.id;
    }

    Retained* retained_;
    std::uint32_t unkept_{};
};

} // namespace mediarig::firmware
