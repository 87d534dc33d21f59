// SPDX-License-Identifier: GPL-3.0-or-later
/// Events that wait for the host's acknowledgement. The ring never overwrites an event.
#pragma once

#include <cstdint>
#include <optional>

#include "common/rigproto/wire.hpp"
#include "firmware/core/link/retained.hpp"

namespace mediarig::firmware {

/// Permission to use the last entries.
enum class Reserve : std::uint8_t {
    no, ///< events whose content STATUS also reports: refused from busy_events on
    yes ///< safety, and ends of jobs
};

class EventRing {
public:
    explicit EventRing(Retained& retained) : retained_(&retained) {}

    /// Returns the event's id, or 0 if the ring was full.
    template <class Body>
    std::uint32_t push(rigproto::EventKind kind, std::uint64_t now_us, const Body& body, Reserve reserve) {
        rigproto::Frame frame;
        rigproto::append(frame, body);
        static_assert(rigproto::size_of<Body>() <= sizeof(KeptEvent::bytes));
        return keep(kind, now_us, frame.payload(), reserve);
    }
    /// Adds an event that consists of its head only.
    std::uint32_t push(rigproto::EventKind kind, std::uint64_t now_us, Reserve reserve) {
        return keep(kind, now_us, {}, reserve);
    }

    /// Removes this event and all before it. Returns false for an id that was never pushed.
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
    /// Requires ids().oldest <= id < ids().next.
    [[nodiscard]] const KeptEvent& at(std::uint32_t id) const {
        return retained_->events[id % rigproto::kept_events].get();
    }
    /// Number of events dropped since the board started because the ring was full.
    [[nodiscard]] std::uint32_t dropped_events() const { return dropped_events_; }

private:
    std::uint32_t keep(rigproto::EventKind kind, std::uint64_t now_us, std::span<const std::uint8_t> body,
                       Reserve reserve) {
        if (waiting() >= (reserve == Reserve::yes ? rigproto::kept_events : rigproto::busy_events)) {
            ++dropped_events_;
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
    std::uint32_t dropped_events_{};
};

} // namespace mediarig::firmware
