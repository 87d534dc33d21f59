// SPDX-License-Identifier: GPL-3.0-or-later
/// The lines and the clock of a guest, with the test in the place of the guest.
#include <linux/um_timetravel.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <functional>
#include <limits>

#include "host/base/async/as_values.hpp"
#include "host/lab/virtual/guest_cards.hpp"
#include "host/lab/virtual/guest_line.hpp"
#include "host/lab/virtual/line_relay.hpp"
#include "host/lab/virtual/time_keeper.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
namespace asio = boost::asio;

namespace {

struct Lines {
    asio::io_context io;
    int queued{0};
    std::shared_ptr<GuestLine> line = *GuestLine::make(OwedAnswers(json_ids()), [this] { ++queued; });

    void guest_writes(std::string_view text) const {
        REQUIRE(::write(line->guest_end(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    std::string guest_reads() const {
        std::string text(4096, '\0');
        const ssize_t count = ::recv(line->guest_end(), text.data(), text.size(), MSG_DONTWAIT);
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return text;
    }
    /// Runs handlers, and transfers bytes as the clock does, until the condition holds.
    void run_until(const std::function<bool()>& condition) {
        bool holds = condition();
        for (int turns = 0; turns < 100'000 && !holds; ++turns) {
            io.restart();
            io.run_one_for(std::chrono::milliseconds(10));
            (void)line->drain();
            (void)line->deliver();
            holds = condition();
        }
        REQUIRE(holds);
    }
};

UnixSocket connected(asio::io_context& io, const std::string& path) {
    UnixSocket socket(io);
    socket.connect(asio::local::stream_protocol::endpoint(path));
    return socket;
}

} // namespace

TEST_CASE("a queued request is owed, and reaches the guest with deliver()") {
    Lines lines;
    std::string received;
    lines.line->on_received([&](std::string_view bytes) { received += bytes; });
    lines.line->send("{\"id\":1,\"method\":\"hello\"}\n");
    CHECK(lines.queued == 1);
    CHECK(lines.line->owes());
    CHECK(lines.line->owes("1"));
    CHECK(lines.guest_reads().empty());
    CHECK(lines.line->deliver());
    CHECK_FALSE(lines.line->deliver());
    CHECK(lines.guest_reads() == "{\"id\":1,\"method\":\"hello\"}\n");
    CHECK_FALSE(lines.line->drain());
    lines.guest_writes("{\"id\":1,\"result\":{}}\n");
    CHECK(lines.line->owes());
    CHECK(lines.line->drain());
    CHECK_FALSE(lines.line->owes());
    CHECK(received == "{\"id\":1,\"result\":{}}\n");
}

TEST_CASE("more than a socket buffer reaches the guest completely") {
    Lines lines;
    const std::string big(std::size_t{3} << 20U, 'x');
    lines.line->send(big);
    std::size_t read = 0;
    lines.run_until([&] {
        read += lines.guest_reads().size();
        return read == big.size();
    });
}

TEST_CASE("a relay serves one client after another, and drops output without a client") {
    const tests::Scratch folder;
    Lines lines;
    const auto relay = std::make_shared<LineRelay>(lines.io.get_executor(), lines.line);
    const std::string path = (folder.path() / "line").string();
    REQUIRE(relay->listen(path));
    for (const std::string name : {"first", "second"}) {
        lines.guest_writes("for no client\n");
        CHECK(lines.line->drain());
        UnixSocket client = connected(lines.io, path);
        asio::write(client, asio::buffer(name + "\n"));
        std::string at_guest;
        lines.run_until([&] { return (at_guest += lines.guest_reads()) == name + "\n"; });
        lines.guest_writes("answer to " + name + "\n");
        client.non_blocking(true);
        std::string answer;
        lines.run_until([&] {
            std::array<char, 100> buffer{};
            boost::system::error_code none;
            answer.append(buffer.data(), client.read_some(asio::buffer(buffer), none));
            return answer == "answer to " + name + "\n";
        });
    }
    relay->close();
    lines.line->close();
    lines.io.restart();
    lines.io.poll();
}

namespace {

/// A guest that asks for time.
struct GuestClock {
    explicit GuestClock(Lines& lines, const std::string& path) : lines(lines), socket(connected(lines.io, path)) {
        socket.non_blocking(true);
    }
    void waits_for(std::uint64_t time) {
        send({UM_TIMETRAVEL_REQUEST, 1, time});
        send({UM_TIMETRAVEL_WAIT, 2, 0});
    }
    void send(const um_timetravel_msg& message) { asio::write(socket, asio::buffer(&message, sizeof message)); }
    /// Reads until a message of this kind.
    um_timetravel_msg next(std::uint32_t operation) {
        um_timetravel_msg message{};
        lines.run_until([&] {
            boost::system::error_code none;
            return socket.read_some(asio::buffer(&message, sizeof message), none) == sizeof message &&
                   message.op == operation;
        });
        return message;
    }
    Lines& lines;
    UnixSocket socket;
};

} // namespace

TEST_CASE("the clock of the guest is stopped until the guest may run") {
    const tests::Scratch folder;
    Lines lines;
    ClockTurn turn = ClockTurn::hold;
    const auto clock = std::make_shared<TimeKeeper>(lines.io.get_executor(), [&] { return turn; });
    const std::string path = (folder.path() / "time").string();
    REQUIRE(clock->listen(path));
    GuestClock guest(lines, path);
    guest.waits_for(500);
    lines.run_until([&] { return clock->is_held(); });
    CHECK(clock->slices() == 0);
    turn = ClockTurn::run;
    clock->look_again();
    CHECK(guest.next(UM_TIMETRAVEL_RUN).time == 500);
    CHECK(clock->slices() == 1);
    guest.waits_for(20'000'000);
    CHECK(guest.next(UM_TIMETRAVEL_RUN).time == 20'000'000);
    CHECK(clock->slices() == 2);
    clock->close();
    lines.io.restart();
    lines.io.poll();
}

TEST_CASE("the guest runs from the time of its input, which it reports before it acknowledges the transfer") {
    const tests::Scratch folder;
    Lines lines;
    int turns = 0;
    const auto clock = std::make_shared<TimeKeeper>(
        lines.io.get_executor(), [&] { return turns++ == 0 ? ClockTurn::exchanged : ClockTurn::run; });
    const std::string path = (folder.path() / "time").string();
    REQUIRE(clock->listen(path));
    GuestClock guest(lines, path);
    guest.waits_for(5'000'000);
    const um_timetravel_msg transfer = guest.next(UM_TIMETRAVEL_FREE_UNTIL);
    CHECK(turns == 1);
    guest.send({UM_TIMETRAVEL_REQUEST, 3, 700});
    guest.send({UM_TIMETRAVEL_ACK, transfer.seq, 0});
    CHECK(guest.next(UM_TIMETRAVEL_RUN).time == 700);
    CHECK(turns == 2);
    clock->close();
    lines.io.restart();
    lines.io.poll();
}

TEST_CASE("a guest without an event that owes an answer is an error") {
    const tests::Scratch folder;
    Lines lines;
    const auto clock = std::make_shared<TimeKeeper>(lines.io.get_executor(), [] { return ClockTurn::run; });
    const std::string path = (folder.path() / "time").string();
    REQUIRE(clock->listen(path));
    GuestClock guest(lines, path);
    guest.waits_for(std::numeric_limits<std::int64_t>::max());
    lines.run_until([&] { return clock->failure().has_value(); });
    CHECK(*clock->failure() == Error{Errc::rig_fault, "the guest waits for input before it answers a request"});
    CHECK(clock->slices() == 0);
    clock->close();
    lines.io.restart();
    lines.io.poll();
}

namespace {

/// Card models of a guest that the test plays.
struct Cards : Lines {
    std::string complaint;
    std::shared_ptr<GuestCards> cards = std::make_shared<GuestCards>(
        io.get_executor(), line, "/media-folder", [this](std::string why) { complaint = std::move(why); });
    Cards() { cards->listen(); }
    /// Starts a call, lets the guest answer its request, and returns the result.
    template <class T>
    Result<T> answered(asio::awaitable<Result<T>> call, const std::function<Result<std::string>(ModelRequest)>& guest) {
        std::optional<Result<T>> result;
        asio::co_spawn(io, std::move(call),
                       [&](const std::exception_ptr&, Result<T> done) { result = std::move(done); });
        run_until([&] {
            const std::string text = guest_reads();
            if (!text.empty()) {
                const auto request = parse_model_request(std::string_view(text).substr(0, text.size() - 1));
                REQUIRE(request);
                guest_writes(model_message_line(ModelAnswer{request->id, guest(request->request)}) + "\n");
            }
            return result.has_value();
        });
        return std::move(*result);
    }
};

CardMedium good_card() {
    return {.name = "LAB001", .config = "good-uhs1", .backing = "/media-folder/slot-1.card"};
}

} // namespace

TEST_CASE("a card model in the guest is started, controlled and stopped through its line") {
    Cards guest;
    std::vector<std::string> requests;
    const auto answer = [&](const ModelRequest& request) -> Result<std::string> {
        if (const auto* start = std::get_if<StartModel>(&request)) {
            requests.push_back("start " + start->card + " " + start->backing);
            return "1048576";
        }
        if (const auto* order = std::get_if<OrderModel>(&request)) {
            requests.push_back(order->command);
            return R"({"ok":true})";
        }
        requests.push_back(std::holds_alternative<StopModel>(request) ? "stop" : "another");
        return "";
    };
    auto card = guest.answered(guest.cards->start(good_card()), answer);
    REQUIRE(card);
    CHECK((*card)->source().kind == MediumSource::Kind::guest_card);
    CHECK((*card)->source().path == "LAB001");
    CHECK(guest.cards->size_of("LAB001") == 1_MiB);
    CHECK(guest.answered((*card)->ask(PowerOn{}), answer));
    CHECK(guest.answered((*card)->stop(), answer));
    CHECK(requests == std::vector<std::string>{"start LAB001 slot-1.card", R"({"command":"power_on"})", "stop"});
}

TEST_CASE("a card model reports the errors of its guest") {
    Cards guest;
    const auto refuses = [](const ModelRequest&) -> Result<std::string> { return fail(Errc::refused, "it is on"); };
    const auto card = guest.answered(guest.cards->start(good_card()), refuses);
    REQUIRE_FALSE(card);
    CHECK(card.error() == Error{Errc::refused, "it is on"});
    CardMedium elsewhere = good_card();
    elsewhere.backing = "/other/slot-1.card";
    const auto misplaced = guest.answered(guest.cards->start(elsewhere), refuses);
    REQUIRE_FALSE(misplaced);
    CHECK(misplaced.error().code == Errc::bad_request);
    CHECK_FALSE(guest.cards->size_of("LAB001"));
}

TEST_CASE("a failure of this computer's storage is reported as such") {
    Cards guest;
    guest.guest_writes(model_message_line(StorageFailure{"LAB001", "No space left on device"}) + "\n");
    guest.run_until([&] { return !guest.complaint.empty(); });
    CHECK(guest.complaint ==
          "this computer could not store the data of LAB001 in /media-folder: No space left on device; free some space "
          "there, or store it elsewhere; this is not a fault of the medium");
}

TEST_CASE("the end of the machine ends a pending request") {
    Cards guest;
    std::optional<Result<std::string>> result;
    ModelRequest stop = StopModel{"LAB001"};
    asio::co_spawn(guest.io, guest.cards->ask(std::move(stop)),
                   [&](const std::exception_ptr&, Result<std::string> done) { result = std::move(done); });
    guest.run_until([&] { return guest.line->owes(); });
    guest.cards->end({Errc::rig_fault, "it ended"});
    guest.run_until([&] { return result.has_value(); });
    CHECK(result->error() == Error{Errc::rig_fault, "it ended"});
}
