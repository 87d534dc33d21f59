// SPDX-License-Identifier: GPL-3.0-or-later
/// Messages and their payloads.
#include <random>
#include <vector>

#include "common/rigproto/simulated_rig.hpp"
#include "common/rigproto/wire.hpp"
#include "tests/catch.hpp"

namespace mediarig::rigproto {

/// LOAD as a later version could define it: with one additional member.
struct LaterLoadRequest {
    std::uint32_t job{};
    std::uint8_t pocket{}, port{};
    std::uint16_t gentleness{7};
};
constexpr void members(auto& io, LaterLoadRequest& m) {
    io(m.job, m.pocket, m.port, m.gentleness);
}
template <>
inline constexpr std::size_t required_size<LaterLoadRequest> = size_of<LoadRequest>();

} // namespace mediarig::rigproto

using namespace mediarig::rigproto;

namespace {

template <class Message>
std::vector<std::uint8_t> payload_of(const Message& message) {
    Frame frame;
    append(frame, message);
    return {frame.payload().begin(), frame.payload().end()};
}

/// Bytes that decode to a message are encoded to the same bytes again, so no member is lost, swapped or overlapping.
template <class Message>
void comes_back(std::mt19937& random) {
    std::size_t decoded = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::uint8_t> bytes(size_of<Message>());
        // Half of the bytes have small values, because enumerations have few values.
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 3);
        if (const auto message = decode<Message>(bytes)) {
            ++decoded;
            REQUIRE(payload_of(*message) == bytes);
        }
    }
    CHECK(decoded > 0);
    for (std::size_t size = 0; size < required_size<Message>; ++size)
        CHECK_FALSE(decode<Message>(std::vector<std::uint8_t>(size)));
    CHECK(decode<Message>(std::vector<std::uint8_t>(size_of<Message>())));
    CHECK(decode<Message>(std::vector<std::uint8_t>(size_of<Message>() + 5)));
}

template <class Enum>
void refuses_beyond(const std::vector<std::uint8_t>& message, std::size_t at, Enum last, auto decoded) {
    for (unsigned value = 0; value < 256; ++value) {
        CAPTURE(at, value);
        auto bytes = message;
        bytes[at] = static_cast<std::uint8_t>(value);
        CHECK(decoded(bytes) == (value <= static_cast<unsigned>(last)));
    }
}

} // namespace

// The sizes are part of the protocol: docs/reference/rig-protocol.md lists them.
static_assert(size_of<HelloRequest>() == 5 && size_of<HelloReply>() == 85 && size_of<StatusReply>() == 34);
static_assert(size_of<Config>() == 96 && required_size<Config> == 96 && size_of<PortStatusReply>() == 32 &&
              size_of<CountersReply>() == 44);
static_assert(size_of<LoadRequest>() == 6 && size_of<UnloadRequest>() == 7 && size_of<PowerRequest>() == 6);
static_assert(size_of<JogRequest>() == 9 && size_of<GuardRequest>() == 5 && size_of<BootloaderRequest>() == 8);
static_assert(size_of<JobStatusReply>() == 8 && size_of<ClockReply>() == 8 && size_of<ConfigReply>() == 4);
static_assert(size_of<EventHead>() == 12 && size_of<ResetEvent>() == 5 && size_of<JobEvent>() == 7);
static_assert(size_of<PortEvent>() == 5 && size_of<FaultEvent>() == 2 && size_of<CardEvent>() == 2);

TEST_CASE("integers are little-endian, and members are encoded in their declared order") {
    CHECK(payload_of(LoadRequest{.job = 0x04030201, .pocket = 5, .port = 6}) ==
          std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
    CHECK(payload_of(JogRequest{.job = 1, .axis = Axis::z, .position = -2}) ==
          std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0xFE, 0xFF, 0xFF, 0xFF});
    CHECK(payload_of(ClockReply{.time_us = 0x0102030405060708}) == std::vector<std::uint8_t>{8, 7, 6, 5, 4, 3, 2, 1});
}

TEST_CASE("each message survives a round trip, is refused if too short and ignores extra bytes") {
    std::mt19937 random(5);
    comes_back<HelloRequest>(random);
    comes_back<HeartbeatRequest>(random);
    comes_back<JobStatusRequest>(random);
    comes_back<PortRequest>(random);
    comes_back<HomeRequest>(random);
    comes_back<LoadRequest>(random);
    comes_back<UnloadRequest>(random);
    comes_back<PowerRequest>(random);
    comes_back<ClearRequest>(random);
    comes_back<JogRequest>(random);
    comes_back<ParkRequest>(random);
    comes_back<GuardRequest>(random);
    comes_back<BootloaderRequest>(random);
    comes_back<NestReadRequest>(random);
    comes_back<IdentifyRequest>(random);
    comes_back<EmptyRequest>(random);
    comes_back<NestReply>(random);
    comes_back<NestRegistersReply>(random);
    comes_back<Config>(random);
    comes_back<StatusReply>(random);
    comes_back<HelloReply>(random);
    comes_back<JobStatusReply>(random);
    comes_back<ClockReply>(random);
    comes_back<ConfigReply>(random);
    comes_back<PortStatusReply>(random);
    comes_back<CountersReply>(random);
    comes_back<EventHead>(random);
    comes_back<ResetEvent>(random);
    comes_back<JobEvent>(random);
    comes_back<CardEvent>(random);
    comes_back<PortEvent>(random);
    comes_back<FaultEvent>(random);
    comes_back<EventAck>(random);
}

TEST_CASE("the configuration of the simulated rig survives a round trip") {
    const Config rig = simulated_rig();
    const auto back = decode<Config>(payload_of(rig));
    REQUIRE(back);
    CHECK(*back == rig);
}

TEST_CASE("an unknown enumeration value makes the payload invalid") {
    const std::vector<std::uint8_t> status(size_of<StatusReply>());
    const auto is_status = [](const auto& bytes) { return decode<StatusReply>(bytes).has_value(); };
    refuses_beyond(status, 0, State::latched, is_status);

    const std::vector<std::uint8_t> job(size_of<JobStatusReply>());
    const auto is_job = [](const auto& bytes) { return decode<JobStatusReply>(bytes).has_value(); };
    refuses_beyond(job, 4, JobState::failed, is_job);

    refuses_beyond(std::vector<std::uint8_t>(size_of<JogRequest>()), 4, Axis::z,
                   [](const auto& bytes) { return decode<JogRequest>(bytes).has_value(); });
    refuses_beyond(std::vector<std::uint8_t>(size_of<UnloadRequest>()), 5, UnloadRequest::To::bin,
                   [](const auto& bytes) { return decode<UnloadRequest>(bytes).has_value(); });
    refuses_beyond(std::vector<std::uint8_t>(size_of<PortStatusReply>()), 1, PortState::tripped,
                   [](const auto& bytes) { return decode<PortStatusReply>(bytes).has_value(); });
    const std::vector<std::uint8_t> nest(size_of<NestReply>());
    const auto is_nest = [](const auto& payload) { return decode<NestReply>(payload).has_value(); };
    refuses_beyond(nest, 4, NestEnd::interrupted, is_nest);
    for (const std::size_t at : {6U, 7U, 8U, 9U}) refuses_beyond(nest, at, RegisterState::damaged, is_nest);
    refuses_beyond(nest, 15, NestSupply::offset, is_nest);
    refuses_beyond(std::vector<std::uint8_t>(size_of<ResetEvent>()), 0, ResetReason::request,
                   [](const auto& bytes) { return decode<ResetEvent>(bytes).has_value(); });
}

TEST_CASE("an unknown fault, stage or reason of a newer board is kept and has no name") {
    std::vector<std::uint8_t> status(size_of<StatusReply>());
    status[0] = static_cast<std::uint8_t>(State::latched);
    status[1] = 200;
    const auto seen = decode<StatusReply>(status);
    REQUIRE(seen);
    CHECK(seen->state == State::latched);
    CHECK(static_cast<int>(seen->fault) == 200);
    std::vector<std::uint8_t> job(size_of<JobStatusReply>());
    job[5] = job[6] = 99;
    CHECK(decode<JobStatusReply>(job));
}

TEST_CASE("adjacent versions of the protocol are compatible") {
    const auto old = payload_of(LoadRequest{.job = 9, .pocket = 3, .port = 1});
    const auto read_by_newer = decode<LaterLoadRequest>(old);
    REQUIRE(read_by_newer);
    CHECK(read_by_newer->pocket == 3);
    CHECK(read_by_newer->gentleness == 0); // zero, not the value that the newer version would send

    const auto newer = payload_of(LaterLoadRequest{.job = 9, .pocket = 3, .port = 1, .gentleness = 500});
    const auto read_by_older = decode<LoadRequest>(newer);
    REQUIRE(read_by_older);
    CHECK(read_by_older->job == 9);
    CHECK(read_by_older->port == 1);
}

TEST_CASE("a payload that ends within an appended member is refused") {
    auto newer = payload_of(LaterLoadRequest{.job = 9, .pocket = 3, .port = 1, .gentleness = 500});
    newer.pop_back();
    CHECK_FALSE(decode<LaterLoadRequest>(newer));
}
