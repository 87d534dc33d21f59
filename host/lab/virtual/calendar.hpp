// SPDX-License-Identifier: GPL-3.0-or-later
/// The calendar of a guest in virtual time: the kernel asks before it advances its clock. Pure. Source:
/// include/uapi/linux/um_timetravel.h of Linux 6.1 ("time-travel=ext").
///
/// The guest gets slices: within a slice it advances its clock alone. After a slice, or before it skips idle time
/// beyond the slice, it asks again, with the time of its next event. While it waits for this program, its clock is
/// stopped, so that its time does not depend on the speed of this computer. Rejected: time-travel=inf-cpu, where the
/// clock runs on during each wait for the next request.
///
/// Input for a waiting guest changes the time of its next event, and the kernel reports this with a message. A
/// permission to run that crosses this message would be lost in the kernel's wait for its acknowledgement.
/// synchronise() prevents this: the kernel acknowledges it after it has handled the input.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::lab {

class Calendar {
public:
    using Time = std::chrono::nanoseconds;
    /// After an answer the guest still runs to the end of its slice, so a slice is short against every pause in a test.
    static constexpr Time slice = std::chrono::milliseconds(10);

    /// `time_of_day`: since 1970, for the guest's clock at its boot.
    explicit Calendar(Time time_of_day) : time_of_day_(time_of_day) {}

    /// Returns the bytes to send. Fails with rig_fault (an unknown message).
    [[nodiscard]] Result<std::string> received(std::string_view bytes);
    /// True if the guest waits for the permission to advance its clock, and its requested time is known.
    [[nodiscard]] bool waiting() const { return waiting_ && !synchronising_; }
    /// True if the guest waits for input and has no other event. Needs waiting().
    [[nodiscard]] bool has_no_event() const { return requested_ == Time::max(); }
    /// Call after a transfer to or from a guest in waiting(), which is false then until the guest has handled it.
    /// Returns the bytes to send.
    [[nodiscard]] std::string synchronise();
    /// Grants the requested time and a slice. Needs waiting() and an event. Returns the bytes to send.
    [[nodiscard]] std::string grant();
    /// Virtual time since the boot; lags by at most one slice while the guest runs.
    [[nodiscard]] Time now() const { return now_; }

private:
    struct Message {
        std::uint32_t operation{}, sequence{};
        std::uint64_t time{};
    };
    [[nodiscard]] std::optional<Message> answer_to(const Message& message);

    Time time_of_day_, now_{}, requested_{};
    bool waiting_{false}, synchronising_{false};
    std::uint32_t sequence_{0}, last_synchronised_{0};
    std::string unfinished_;
};

} // namespace mediarig::lab
