// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests each operation with good, short, long and bad payloads, and each reason for a refusal.
#include <set>

#include "tests/catch.hpp"
#include "tests/common/rigproto/board_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

namespace {

struct Row {
    const char* name;
    Op op;
    Frame arguments; ///< only the payload of this frame is used
};

template <class Message>
Row row(const char* name, Op op, const Message& message) {
    Row made{name, op, {}};
    append(made.arguments, message);
    return made;
}

std::vector<Row> every_operation(std::uint32_t job) {
    return {row("hello", Op::hello, HelloRequest{}),
            row("heartbeat", Op::heartbeat, HeartbeatRequest{}),
            row("config", Op::config, simulated_rig()),
            {"status", Op::status, {}},
            row("job_status", Op::job_status, JobStatusRequest{1}),
            {"clock", Op::clock, {}},
            row("port_status", Op::port_status, PortRequest{7}),
            {"counters", Op::counters, {}},
            {"nest", Op::nest, {}},
            {"nest_registers", Op::nest_registers, {}},
            {"bye", Op::bye, {}},
            row("nest_read", Op::nest_read, NestReadRequest{job}),
            row("identify", Op::identify, IdentifyRequest{job, 1}),
            row("empty", Op::empty, EmptyRequest{job, 1}),
            row("home", Op::home, HomeRequest{job}),
            row("load", Op::load, LoadRequest{job, 1, 1}),
            row("unload", Op::unload, UnloadRequest{job, 1, UnloadRequest::To::bin, 1}),
            row("power", Op::power, PowerRequest{job, 1, 1}),
            row("clear", Op::clear, ClearRequest{job}),
            row("jog", Op::jog, JogRequest{job, Axis::z, 100}),
            row("park", Op::park, ParkRequest{job}),
            row("guard", Op::guard, GuardRequest{job, 3}),
            row("bootloader", Op::bootloader, BootloaderRequest{job, bootloader_magic})};
}

Frame with(Caller& host, const Row& row, std::size_t size) {
    Frame frame = host.frame(row.op);
    frame.size = static_cast<std::uint8_t>(size);
    std::copy_n(row.arguments.bytes.begin(), std::min<std::size_t>(size, row.arguments.size), frame.bytes.begin());
    return frame;
}

/// Returns a ready host. For the operation HELLO, the host has no session.
Caller host_for(Board& board, Op op) {
    return op == Op::hello ? Caller(board) : ready(board);
}

} // namespace

TEST_CASE("each operation is accepted with its arguments and with additional bytes") {
    for (const Row& each : every_operation(5)) {
        for (const std::size_t more : {0U, 1U, 20U}) {
            CAPTURE(each.name, more);
            Board board;
            Caller host = host_for(board, each.op);
            CHECK(host.judge(with(host, each, each.arguments.size + more)) == Reject::none);
        }
    }
}

TEST_CASE("each operation is refused without effect if its arguments are too short") {
    for (const Row& each : every_operation(5)) {
        for (std::size_t size = 0; size < each.arguments.size; ++size) {
            // A HELLO of another major version needs only one byte: see session_test.cpp.
            CAPTURE(each.name, size);
            Board board;
            Caller host = host_for(board, each.op);
            const std::size_t configured = board.machine().configured.size();
            CHECK(host.judge(with(host, each, size)) == Reject::bad_payload);
            CHECK(board.machine().begun.empty());
            CHECK(board.machine().configured.size() == configured);
            CHECK(board.events().jobs().newest() == 0);
        }
    }
}

TEST_CASE("values outside the schema are refused") {
    const Row rows[] = {row("job 0", Op::home, HomeRequest{0}),
                        row("job 0", Op::load, LoadRequest{0, 1, 1}),
                        row("on that is neither 0 nor 1", Op::power, PowerRequest{5, 1, 2}),
                        row("an axis that is none", Op::jog, JogRequest{5, static_cast<Axis>(2), 1}),
                        row("neither pocket nor bin", Op::unload, UnloadRequest{5, 1, UnloadRequest::To{2}, 1}),
                        row("the wrong magic", Op::bootloader, BootloaderRequest{5, bootloader_magic + 1})};
    for (const Row& each : rows) {
        CAPTURE(each.name);
        Board board;
        Caller host = ready(board);
        CHECK(host.judge(with(host, each, each.arguments.size)) == Reject::bad_payload);
        CHECK(board.machine().begun.empty());
    }
}

TEST_CASE("a nonexistent operation is refused as unknown") {
    std::set<std::uint8_t> known;
    for (const Row& each : every_operation(1)) known.insert(static_cast<std::uint8_t>(each.op));
    Board board;
    Caller host = ready(board);
    for (unsigned op = 0; op < 256; ++op) {
        if (known.contains(static_cast<std::uint8_t>(op))) continue;
        CAPTURE(op);
        CHECK(host.ask(static_cast<Op>(op)) == Reject::unknown_op);
    }
    // A HELLO within an existing session is treated as a late copy, and does not use a sequence number.
    CHECK(host.ask(Op::hello, HelloRequest{}) == Reject::stale);
    --host.seq;
    CHECK(host.ask(Op::status) == Reject::none);
}

TEST_CASE("each refusal of the machine is sent to the host, with the interlock if an interlock is the reason") {
    for (const Reject reject : {Reject::out_of_range, Reject::not_homed, Reject::busy, Reject::latched}) {
        Board board;
        Caller host = ready(board);
        board.machine().answer = {reject};
        CHECK(host.ask(Op::home, HomeRequest{1}) == reject);
        CHECK(board.counters().rejected == 1);
    }
    for (auto interlock = Interlock::none; interlock <= last_of<Interlock>;
         interlock = static_cast<Interlock>(static_cast<int>(interlock) + 1)) {
        Board board;
        Caller host = ready(board);
        board.machine().answer = {Reject::interlock, interlock};
        const auto response = host.send(host.frame(Op::load, LoadRequest{.job = 1}));
        REQUIRE(response);
        CHECK(response->size == 2);
        CHECK(response->bytes[0] == static_cast<std::uint8_t>(Reject::interlock));
        CHECK(response->bytes[1] == static_cast<std::uint8_t>(interlock));
    }
}

TEST_CASE("a refusal contains only its reason") {
    Board board;
    Caller host = ready(board);
    const auto response = host.send(host.frame(Op::port_status, PortRequest{port_count}));
    REQUIRE(response);
    CHECK(response->size == 1);
    CHECK(response->bytes[0] == static_cast<std::uint8_t>(Reject::out_of_range));
}

TEST_CASE("no job begins without a configuration, except the jump to the boot ROM") {
    Board board;
    Caller host(board);
    REQUIRE(host.hello());
    std::uint32_t job = 0;
    for (const Row& each : every_operation(++job)) {
        if (!changes_state(each.op) || each.op == Op::bootloader) continue;
        CAPTURE(each.name);
        CHECK(host.judge(with(host, each, each.arguments.size)) == Reject::unconfigured);
    }
    CHECK(board.machine().begun.empty());
    CHECK(host.ask(Op::bootloader, BootloaderRequest{1, bootloader_magic}) == Reject::none);
}

TEST_CASE("the answer to a configuration is the CRC-32 of its payload, and the configuration is applied once") {
    Board board;
    Caller host(board);
    REQUIRE(host.hello());
    auto request = host.frame(Op::config, simulated_rig());
    const std::uint32_t crc = crc32(request.payload());
    auto reply = host.get<ConfigReply>(request);
    REQUIRE(reply);
    CHECK(reply->crc == crc);
    REQUIRE(board.machine().configured.size() == 1);
    CHECK(board.machine().configured[0] == simulated_rig());

    request = host.frame(Op::config, simulated_rig());
    CHECK(host.get<ConfigReply>(request)->crc == crc);
    CHECK(board.machine().configured.size() == 1); // the same configuration is not applied again

    Caller again(board, 0x9999);
    CHECK(again.hello()->config_crc == crc);
    CHECK((again.get<StatusReply>(again.frame(Op::status))->flags & flag_configured) != 0);
}

TEST_CASE("a configuration refused by the machine keeps the former one") {
    Board board;
    Caller host = ready(board);
    Caller look(board, 0x9999);
    const std::uint32_t crc = look.hello()->config_crc;
    board.machine().answer = {Reject::out_of_range};
    auto bad = simulated_rig();
    bad.pockets = 200;
    CHECK(look.ask(Op::config, bad) == Reject::out_of_range);
    board.machine().answer = {};
    CHECK(look.ask(Op::home, HomeRequest{1}) == Reject::none);
    Caller later(board, 0x9998);
    CHECK(later.hello()->config_crc == crc);
}

TEST_CASE("a reset clears the configuration") {
    Board board;
    (void)ready(board);
    board.reset(ResetReason::watchdog);
    Caller host(board, 0x7777);
    CHECK(host.hello()->config_crc == 0);
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::unconfigured);
}

TEST_CASE("clock, ports and counters return the requested values") {
    Board board;
    Caller host = ready(board);
    board.now_us = 5'000'000'000;
    CHECK(host.get<ClockReply>(host.frame(Op::clock))->time_us == 5'000'000'000);
    const auto port = host.get<PortStatusReply>(host.frame(Op::port_status, PortRequest{3}));
    REQUIRE(port);
    CHECK(port->port == 3);
    CHECK(port->cycles == 42);

    const std::array<std::uint8_t, 3> damage{0x05, 0x11, 0x00};
    board.receive(damage);
    board.receive({damage.data(), 2});
    board.receive(std::vector<std::uint8_t>(200, 0x33));
    board.receive(std::vector<std::uint8_t>{0});
    board.receive(std::vector<std::uint8_t>{0x02, 0x11, 0});
    board.receive(Frame{.kind = Kind::event, .session = host.session});
    const auto counters = host.get<CountersReply>(host.frame(Op::counters));
    REQUIRE(counters);
    CHECK(counters->bad_cobs == 1);
    CHECK(counters->too_long == 1);
    CHECK(counters->bad_crc == 1);
    CHECK(counters->unknown == 1);
    CHECK(counters->frames >= 6);
}

TEST_CASE("the answer to a heartbeat is the state of the rig") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::load, LoadRequest{.job = 8}) == Reject::none);
    const auto status = host.get<StatusReply>(host.frame(Op::heartbeat, HeartbeatRequest{}));
    REQUIRE(status);
    CHECK(status->state == State::ready);
    CHECK(status->running_job == 8);
    CHECK(status->last_job == 8);
    CHECK(status->unacked == 1);
}
