// SPDX-License-Identifier: GPL-3.0-or-later
/// Data that survives a watchdog reset but not a power loss: memory that the start-up code does not initialise (section
/// .noinit).
///
/// Each part has its own checksum, so that a change recomputes that of a few bytes only. A reset during a change leaves
/// a part with a wrong checksum: then all data is discarded, and the board reports a cold start.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "common/crc32.hpp"
#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

/// A value with its CRC. The type is trivial, because objects in .noinit are not constructed.
template <class T>
class Checksummed {
public:
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                  "bytes between members would make the check a matter of luck");

    [[nodiscard]] const T& get() const { return value_; }
    void set(const T& value) {
        value_ = value;
        check_ = check();
    }
    [[nodiscard]] bool intact() const { return check_ == check(); }

private:
    [[nodiscard]] std::uint32_t check() const {
        return crc32({reinterpret_cast<const std::uint8_t*>(&value_), sizeof value_});
    }
    T value_;
    std::uint32_t check_;
};

/// An event that waits for its acknowledgement, in the form of the frame after its head.
struct KeptEvent {
    std::uint64_t time_us;
    std::uint32_t id;
    rigproto::EventKind kind;
    std::uint8_t size;
    std::array<std::uint8_t, 10> bytes;
};

/// Ids oldest..next-1 wait for their acknowledgement.
struct EventIds {
    std::uint32_t oldest, next;
};

/// An accepted job; id 0: an empty entry.
struct KeptJob {
    std::uint32_t job;
    std::uint32_t content; ///< CRC-32 of operation and payload
    rigproto::JobState state;
    rigproto::JobStage stage;
    rigproto::Fault fault;
    std::uint8_t detail;
};

/// Bit n: reader n.
struct KeptReaders {
    std::uint8_t occupied; ///< a card was inserted or detected, and nothing has proved its removal
    std::uint8_t unproven; ///< not known to be empty since the memory was initialised
    bool operator==(const KeptReaders&) const = default;
};

/// A latched fault; all bytes are zero if no fault is latched.
struct KeptFault {
    rigproto::Fault fault;
    std::uint8_t detail;
};

/// Counts starts. `layout` identifies the layout of Retained: another image may have another one.
struct BootRecord {
    std::uint32_t layout;
    std::uint32_t boot_id;
};
inline constexpr std::uint32_t retained_layout = 0x52494704; ///< increase with every change of Retained

struct Retained {
    Checksummed<BootRecord> start;
    Checksummed<EventIds> event_ids;
    std::array<Checksummed<KeptEvent>, rigproto::kept_events> events;    ///< indexed by id % kept_events
    Checksummed<std::array<KeptJob, rigproto::kept_jobs>> jobs;          ///< newest first
    Checksummed<std::array<std::uint32_t, rigproto::port_count>> cycles; ///< insertions into each reader
    Checksummed<KeptReaders> readers;                                    ///< state of the readers
    Checksummed<KeptFault> fault;                                        ///< the latched fault
};
static_assert(std::is_trivially_default_constructible_v<Retained>);

/// Call once per start, before any other access. Initialises all data if a checksum or the layout is wrong. Returns
/// true for a cold start.
inline bool open_retained(Retained& retained) {
    bool intact = retained.start.intact() && retained.start.get().layout == retained_layout &&
                  retained.event_ids.intact() && retained.jobs.intact() && retained.cycles.intact() &&
                  retained.readers.intact() && retained.fault.intact();
    if (intact) {
        const EventIds ids = retained.event_ids.get();
        intact = ids.oldest >= 1 && ids.next - ids.oldest <= rigproto::kept_events;
        for (std::uint32_t id = ids.oldest; intact && id != ids.next; ++id) {
            const auto& event = retained.events[id % rigproto::kept_events];
            intact = event.intact() && event.get().id == id;
        }
    }
    if (!intact) {
        retained.start.set({retained_layout, 0});
        retained.event_ids.set({1, 1});
        retained.jobs.set({});
        retained.cycles.set({});
        retained.readers.set({.occupied = 0, .unproven = 0xFF});
        retained.fault.set({});
    }
    retained.start.set({retained_layout, retained.start.get().boot_id + 1});
    return !intact;
}

} // namespace mediarig::firmware
