// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/calendar.hpp"

#include <fmt/format.h>
#include <linux/um_timetravel.h>

#include <cstring>

namespace mediarig::lab {
namespace {

using std::chrono::nanoseconds;

template <class M>
std::string bytes_of(const M& message) {
    const um_timetravel_msg wire{message.operation, message.sequence, message.time};
    return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

std::uint64_t count_of(nanoseconds time) {
    return static_cast<std::uint64_t>(time.count());
}

} // namespace

Result<std::string> Calendar::received(std::string_view bytes) {
    unfinished_.append(bytes);
    std::string answers;
    while (unfinished_.size() >= sizeof(um_timetravel_msg)) {
        um_timetravel_msg wire{};
        std::memcpy(&wire, unfinished_.data(), sizeof wire);
        unfinished_.erase(0, sizeof wire);
        if (wire.op == UM_TIMETRAVEL_ACK) {
            if (wire.seq == last_synchronised_) synchronising_ = false;
            continue;
        }
        const auto answer = answer_to({wire.op, wire.seq, wire.time});
        if (!answer)
            return fail(Errc::rig_fault, fmt::format("the guest's kernel sent an unknown time message {}", wire.op));
        answers += bytes_of(*answer);
    }
    return answers;
}

std::optional<Calendar::Message> Calendar::answer_to(const Message& message) {
    Message answer{UM_TIMETRAVEL_ACK, message.sequence, 0};
    switch (message.operation) {
        case UM_TIMETRAVEL_START:
            return answer;
        case UM_TIMETRAVEL_REQUEST:
            requested_ = nanoseconds(message.time);
            return answer;
        case UM_TIMETRAVEL_WAIT:
            waiting_ = true;
            return answer;
        case UM_TIMETRAVEL_UPDATE:
            now_ = nanoseconds(message.time);
            return answer;
        case UM_TIMETRAVEL_GET:
            answer.time = count_of(now_);
            return answer;
        case UM_TIMETRAVEL_GET_TOD:
            answer.time = count_of(time_of_day_);
            return answer;
        default:
            return std::nullopt;
    }
}

std::string Calendar::synchronise() {
    synchronising_ = true;
    last_synchronised_ = ++sequence_;
    // grant() replaces this limit.
    return bytes_of(Message{UM_TIMETRAVEL_FREE_UNTIL, last_synchronised_, count_of(now_)});
}

std::string Calendar::grant() {
    waiting_ = false;
    now_ = requested_;
    // Send the limit first: the permission to run ends the kernel's wait.
    const std::string limit = bytes_of(Message{UM_TIMETRAVEL_FREE_UNTIL, ++sequence_, count_of(now_ + slice)});
    return limit + bytes_of(Message{UM_TIMETRAVEL_RUN, ++sequence_, count_of(now_)});
}

} // namespace mediarig::lab
