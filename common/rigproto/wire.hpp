// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts messages to payloads and back. `members` lists the members of a message once, for both directions.
///
/// The schema grows: members that a shorter payload lacks keep the message's default, provided that the payload has the
/// members of schema 1.0 (`required_size`). Extra bytes come from a newer version and are ignored. A payload that ends
/// inside a member, or has an undefined enumeration value, is rejected: a truncated request must not act on pocket 0.
/// Enumerations sent by boards may grow (`grows`).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "common/rigproto/frame.hpp"
#include "common/rigproto/messages.hpp"

namespace mediarig::rigproto {

/// Last value of each enumeration in payloads; all begin at 0.
template <class E>
inline constexpr E last_of = {};
template <>
inline constexpr Reject last_of<Reject> = Reject::session_held;
template <>
inline constexpr Interlock last_of<Interlock> = Interlock::pocket_occupied;
template <>
inline constexpr Fault last_of<Fault> = Fault::pocket_occupied;
template <>
inline constexpr State last_of<State> = State::latched;
template <>
inline constexpr PortState last_of<PortState> = PortState::tripped;
template <>
inline constexpr ResetReason last_of<ResetReason> = ResetReason::request;
template <>
inline constexpr Axis last_of<Axis> = Axis::z;
template <>
inline constexpr JobState last_of<JobState> = JobState::failed;
template <>
inline constexpr JobStage last_of<JobStage> = JobStage::homing_x;
template <>
inline constexpr NestEnd last_of<NestEnd> = NestEnd::interrupted;
template <>
inline constexpr RegisterState last_of<RegisterState> = RegisterState::damaged;
template <>
inline constexpr NestSupply last_of<NestSupply> = NestSupply::offset;
template <>
inline constexpr UnloadRequest::To last_of<UnloadRequest::To> = UnloadRequest::To::bin;

/// Enumerations that only boards send and that may grow: an unknown value is kept and has no name. For all other
/// enumerations it is an error.
template <class E>
inline constexpr bool grows = false;
template <>
inline constexpr bool grows<Reject> = true;
template <>
inline constexpr bool grows<Interlock> = true;
template <>
inline constexpr bool grows<Fault> = true;
template <>
inline constexpr bool grows<JobStage> = true;

// clang-format off
constexpr void members(auto& io, HelloRequest& m) { io(m.major, m.minor, m.previous, m.look); }
constexpr void members(auto& io, HeartbeatRequest& m) { io(m.lease_ms); }
constexpr void members(auto& io, JobStatusRequest& m) { io(m.job); }
constexpr void members(auto& io, PortRequest& m) { io(m.port); }
constexpr void members(auto& io, HomeRequest& m) { io(m.job); }
constexpr void members(auto& io, LoadRequest& m) { io(m.job, m.pocket, m.port); }
constexpr void members(auto& io, UnloadRequest& m) { io(m.job, m.port, m.to, m.index); }
constexpr void members(auto& io, PowerRequest& m) { io(m.job, m.port, m.on); }
constexpr void members(auto& io, ClearRequest& m) { io(m.job); }
constexpr void members(auto& io, JogRequest& m) { io(m.job, m.axis, m.position); }
constexpr void members(auto& io, ParkRequest& m) { io(m.job); }
constexpr void members(auto& io, GuardRequest& m) { io(m.job, m.ports); }
constexpr void members(auto& io, NestReadRequest& m) { io(m.job); }
constexpr void members(auto& io, IdentifyRequest& m) { io(m.job, m.pocket); }
constexpr void members(auto& io, EmptyRequest& m) { io(m.job, m.ports); }
constexpr void members(auto& io, BootloaderRequest& m) { io(m.job, m.magic); }
constexpr void members(auto& io, Config& m) {
    io(m.pockets, m.ports, m.x_first_pocket, m.x_pocket_pitch, m.x_first_port, m.x_port_pitch, m.x_bin, m.x_travel,
       m.z_travel, m.z_pocket, m.z_port, m.z_bin, m.x_speed, m.x_acceleration, m.z_speed, m.z_acceleration,
       m.home_speed, m.home_tolerance, m.vacuum_picked_mv, m.port_limit_ma, m.inrush_limit_ma, m.inrush_window_ms,
       m.trip_ma, m.idle_ma, m.x_nest, m.z_nest, m.x_comb);
}
constexpr void members(auto& io, StatusReply& m) {
    io(m.state, m.fault, m.fault_detail, m.running_job, m.last_job, m.stage, m.cards, m.powered, m.unacked, m.flags,
       m.x, m.z, m.time_us, m.occupied, m.unproven);
}
constexpr void members(auto& io, HelloReply& m) {
    io(m.major, m.minor, m.firmware_major, m.firmware_minor, m.firmware_patch, m.build, m.profile, m.unique_id,
       m.pin_map_hash, m.config_crc, m.boot_id, m.cold_start, m.reset, m.oldest_event);
    members(io, m.status);
}
constexpr void members(auto& io, JobStatusReply& m) { io(m.job, m.state, m.stage, m.fault, m.detail); }
constexpr void members(auto& io, ClockReply& m) { io(m.time_us); }
constexpr void members(auto& io, ConfigReply& m) { io(m.crc); }
constexpr void members(auto& io, PortStatusReply& m) {
    io(m.port, m.state, m.card, m.fault, m.millivolts, m.milliamperes, m.min_millivolts, m.max_milliamperes,
       m.off_time_us, m.ramp_us, m.energy_uj, m.cycles);
}
constexpr void members(auto& io, CountersReply& m) {
    io(m.frames, m.bad_crc, m.bad_cobs, m.too_long, m.stale, m.repeated, m.rejected, m.stops, m.unknown, m.dropped_events,
       m.usb_restarts);
}
constexpr void members(auto& io, NestReply& m) {
    io(m.job, m.end, m.command, m.cid, m.csd, m.scr, m.ssr, m.card, m.ocr, m.supply, m.rest_ua, m.most_ua);
}
constexpr void members(auto& io, NestRegistersReply& m) { io(m.job, m.cid, m.csd, m.scr, m.ssr); }
constexpr void members(auto& io, EventHead& m) { io(m.id, m.time_us); }
constexpr void members(auto& io, ResetEvent& m) { io(m.reason, m.boot_id); }
constexpr void members(auto& io, JobEvent& m) { io(m.job, m.stage, m.fault, m.detail); }
constexpr void members(auto& io, CardEvent& m) { io(m.port, m.present); }
constexpr void members(auto& io, PortEvent& m) { io(m.port, m.state, m.fault, m.millivolts); }
constexpr void members(auto& io, FaultEvent& m) { io(m.fault, m.detail); }
constexpr void members(auto& io, EventAck& m) { io(m.id); }
// clang-format on

namespace detail {

template <class T>
struct is_array : std::false_type {};
template <class T, std::size_t N>
struct is_array<std::array<T, N>> : std::true_type {};

template <class T>
constexpr auto raw(T value) {
    if constexpr (std::is_enum_v<T>)
        return static_cast<std::make_unsigned_t<std::underlying_type_t<T>>>(value);
    else
        return static_cast<std::make_unsigned_t<T>>(value);
}

class Counter {
public:
    constexpr void operator()(const auto&... member) { ((size_ += sizeof member), ...); }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }

private:
    std::size_t size_{};
};

class Writer {
public:
    constexpr Writer(std::span<std::uint8_t> out, std::size_t at) : out_(out), at_(at) {}
    constexpr void operator()(const auto&... member) { (put(member), ...); }
    [[nodiscard]] constexpr std::size_t at() const { return at_; }

private:
    template <class T>
    constexpr void put(const T& value) {
        if constexpr (is_array<T>::value) {
            for (const auto& element : value) put(element);
        } else {
            const auto bits = static_cast<std::uint64_t>(raw(value));
            for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 8)
                out_[at_++] = static_cast<std::uint8_t>(bits >> shift & 0xFF);
        }
    }
    std::span<std::uint8_t> out_;
    std::size_t at_;
};

class Reader {
public:
    explicit constexpr Reader(std::span<const std::uint8_t> in) : in_(in) {}
    constexpr void operator()(auto&... member) { (take(member), ...); }
    [[nodiscard]] constexpr bool good() const { return good_; }

private:
    template <class T>
    constexpr void take(T& value) {
        if constexpr (is_array<T>::value) {
            for (auto& element : value) take(element);
        } else {
            if (in_.empty()) {
                value = T{}; // the sender's version lacks this member
                return;
            }
            if (in_.size() < sizeof(T)) {
                good_ = false;
                return;
            }
            std::uint64_t bits = 0;
            for (std::size_t i = 0; i < sizeof(T); ++i) bits |= static_cast<std::uint64_t>(in_[i]) << 8 * i;
            in_ = in_.subspan(sizeof(T));
            if constexpr (std::is_enum_v<T> && !grows<T>)
                if (bits > raw(last_of<T>)) good_ = false;
            value = static_cast<T>(bits);
        }
    }
    std::span<const std::uint8_t> in_;
    bool good_{true};
};

} // namespace detail

template <class Message>
[[nodiscard]] constexpr std::size_t size_of() {
    detail::Counter counter;
    Message message;
    members(counter, message);
    return counter.size();
}

/// Minimum size of a payload: the members of schema 1.0. A message that gets a member later needs a specialisation with
/// its old size.
template <class Message>
inline constexpr std::size_t required_size = size_of<Message>();

/// Decodes a message; empty if the payload is too short, ends inside a member, or has a value outside the schema.
template <class Message>
[[nodiscard]] constexpr std::optional<Message> decode(std::span<const std::uint8_t> payload) {
    if (payload.size() < required_size<Message>) return std::nullopt;
    detail::Reader reader(payload);
    Message message;
    members(reader, message);
    if (!reader.good()) return std::nullopt;
    return message;
}

/// Appends the message to the frame's payload. The payload must have enough space; compile-time checks below ensure
/// this for all answers and events.
template <class Message>
constexpr void append(Frame& frame, Message message) {
    static_assert(size_of<Message>() < max_payload);
    detail::Writer writer(frame.bytes, frame.size);
    members(writer, message);
    frame.size = static_cast<std::uint8_t>(writer.at());
}
constexpr void append(Frame& frame, Reject reject) {
    frame.bytes[frame.size++] = static_cast<std::uint8_t>(reject);
}

static_assert(1 + size_of<HelloReply>() <= max_payload && size_of<Config>() <= max_payload &&
              1 + size_of<NestRegistersReply>() <= max_payload);

} // namespace mediarig::rigproto
