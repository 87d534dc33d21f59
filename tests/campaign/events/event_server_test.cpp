// SPDX-License-Identifier: GPL-3.0-or-later
/// The socket of a campaign: all clients are equal, and no client can delay the campaign.
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <thread>

#include "host/campaign/events/socket/event_server.hpp"
#include "host/campaign/events/socket/socket_folder.hpp"
#include "tests/catch.hpp"
#include "tests/cli/demo_events.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::events;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// A campaign with a socket next to a store.
struct Listening {
    tests::Scratch folder;
    boost::asio::io_context io;
    std::vector<ControlRequest> asked;
    pid_t by{};
    Result<SocketFolder> sockets = SocketFolder::make(folder / "results.db");
    EventServer server{io.get_executor(), "c1", [this](ControlRequest request, pid_t process) {
                           asked.push_back(request);
                           by = process;
                       }};

    Listening() {
        REQUIRE(sockets);
        REQUIRE(server.listen(*sockets->path_of("c1")));
    }
    ~Listening() { sockets->remove("c1"); }

    template <class Holds>
    bool until(Holds holds) {
        for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
            io.restart();
            io.poll();
            if (holds()) return true;
            std::this_thread::sleep_for(1ms);
        }
        return false;
    }
    [[nodiscard]] Descriptor connect() {
        const std::size_t before = server.clients();
        auto connected = connect_to_campaign(folder / "results.db", "c1");
        REQUIRE(connected);
        REQUIRE(until([&] { return server.clients() == before + 1; }));
        return std::move(*connected);
    }
};

/// Data that a client has received so far; empty if its connection has ended.
struct Received {
    Feed feed;
    std::vector<campaign::SessionEvent> events;
    std::string refused;
    bool over{};
    void take(int socket) {
        std::array<char, 65536> buffer{};
        while (!over) {
            const ssize_t length = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (length < 0) return;
            over = length == 0;
            auto taken = feed.take({buffer.data(), static_cast<std::size_t>(length)});
            if (!taken) refused = taken.error().detail;
            if (taken) std::move(taken->begin(), taken->end(), std::back_inserter(events));
        }
    }
};

void send_text(const Descriptor& socket, const std::string& text) {
    REQUIRE(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
}

campaign::SessionEvent finding_of(std::size_t bytes) {
    return {.since_start = 1s,
            .body = campaign::FindingReported{.medium = "m", .finding = {.detail = std::string(bytes, 'x')}}};
}

} // namespace

TEST_CASE("a client receives the history and then live events, and a later client receives the same state") {
    Listening campaign;
    const auto events = cli::demo_events();
    const std::size_t half = events.size() / 2;
    for (std::size_t i = 0; i < half; ++i) campaign.server.publish(events[i]);
    const Descriptor first = campaign.connect();
    for (std::size_t i = half; i < events.size(); ++i) campaign.server.publish(events[i]);
    const Descriptor second = campaign.connect();

    Received at_first, at_second;
    const auto ended = [](const Received& received) {
        return !received.events.empty() && std::holds_alternative<campaign::CampaignEnded>(received.events.back().body);
    };
    CHECK(campaign.until([&] {
        at_first.take(first.get());
        at_second.take(second.get());
        return ended(at_first) && ended(at_second);
    }));
    CHECK(at_first.events.size() >= events.size() - half);
    CHECK(std::holds_alternative<campaign::CampaignStarted>(at_second.events.front().body));
}

TEST_CASE("the server reports a client's request with the process id of the client") {
    Listening campaign;
    const Descriptor client = campaign.connect();
    send_text(client, line_of(ControlRequest::pause) + line_of(ControlRequest::resume) + line_of(ControlRequest::stop));
    CHECK(campaign.until([&] { return campaign.asked.size() == 3; }));
    CHECK(campaign.asked == std::vector{ControlRequest::pause, ControlRequest::resume, ControlRequest::stop});
    CHECK(campaign.by == ::getpid());
}

TEST_CASE("a client that sends malformed lines receives an error and is disconnected without effect on the campaign") {
    Listening campaign;
    const std::string nonsense = GENERATE(std::string("format c:\n"), std::string("{\"do\": 1}\n"), std::string("\n"),
                                          std::string(3 * longest_request, 'a'));
    const Descriptor client = campaign.connect();
    send_text(client, nonsense);
    Received received;
    CHECK(campaign.until([&] {
        received.take(client.get());
        return campaign.server.clients() == 0 && !received.refused.empty();
    }));
    CHECK_THAT(received.refused, ContainsSubstring("request is"));
    CHECK(campaign.asked.empty());
}

TEST_CASE(
    "a client that reads nothing loses progress events and is later disconnected, and other clients lose nothing") {
    Listening campaign;
    const Descriptor slow = campaign.connect();
    const Descriptor quick = campaign.connect();
    Received received;
    constexpr std::size_t findings = 1500; // findings of 4 KB each: more than the queue of a client holds
    for (std::size_t i = 0; i < findings; ++i) {
        campaign.server.publish(finding_of(4000)); // returns without waiting for a client
        for (std::size_t tick = 0; tick < 2; ++tick)
            campaign.server.publish({.since_start = 1s, .body = campaign::StepProgress{.index = 0, .phase = "write"}});
        REQUIRE(campaign.until([&] {
            received.take(quick.get());
            return received.events.size() == (i + 1) * 3;
        }));
    }
    CHECK(campaign.server.clients() == 1);
    CHECK(received.events.size() == findings * 3);
}

TEST_CASE("a dead client is removed") {
    Listening campaign;
    { const Descriptor client = campaign.connect(); }
    CHECK(campaign.until([&] { return campaign.server.clients() == 0; }));
    campaign.server.publish(finding_of(10));
}

TEST_CASE("shutdown waits at most a second for a client that does not read") {
    Listening campaign;
    const Descriptor slow = campaign.connect();
    for (int i = 0; i < 1000; ++i) campaign.server.publish(finding_of(4000));
    bool closed = false;
    boost::asio::co_spawn(
        campaign.io,
        [&]() -> boost::asio::awaitable<void> {
            co_await campaign.server.close();
            closed = true;
        },
        boost::asio::detached);
    CHECK(campaign.until([&] { return closed; }));
    CHECK(campaign.until([&] { return campaign.server.clients() == 0; }));
}

TEST_CASE("the socket folder is accessible to its owner only") {
    const tests::Scratch folder;
    {
        const auto made = SocketFolder::make(folder / "results.db");
        REQUIRE(made);
        const fs::path path = (folder / "results.db").string() + ".sockets";
        CHECK(fs::status(path).permissions() == fs::perms::owner_all);
        ::chmod(path.c_str(), 0755);
        const auto open = SocketFolder::make(folder / "results.db");
        REQUIRE(!open);
        CHECK(open.error().code == Errc::refused);
        ::chmod(path.c_str(), 0700);
        made->remove("none");
        CHECK(!fs::exists(path));
    }
    fs::create_directory_symlink(fs::temp_directory_path(), (folder / "results.db").string() + ".sockets");
    const auto made = SocketFolder::make(folder / "results.db"), opened = SocketFolder::open(folder / "results.db");
    REQUIRE(!made);
    REQUIRE(!opened);
    CHECK(made.error().code == Errc::refused);
    CHECK(opened.error() == made.error());
}

TEST_CASE("remove_all_but() removes sockets of killed campaigns and keeps sockets of running campaigns") {
    Listening campaign;
    EventServer killed(campaign.io.get_executor(), "c0", {});
    REQUIRE(killed.listen(*campaign.sockets->path_of("c0")));
    campaign.sockets->remove_all_but([](const std::string& each) { return each == "c1"; });
    CHECK(!connect_to_campaign(campaign.folder / "results.db", "c0"));
    CHECK(connect_to_campaign(campaign.folder / "results.db", "c1"));
}

TEST_CASE("a path is refused as the name of a campaign") {
    Listening campaign;
    for (const char* name : {"", ".", "..", "../c1", "a/b"}) CHECK(!campaign.sockets->path_of(name));
    CHECK(!campaign.sockets->path_of(std::string(200, 'a')));
}

TEST_CASE("a campaign can be watched even if the path of its store is longer than a socket path may be") {
    const tests::Scratch folder;
    const fs::path deep = folder.path() / std::string(120, 'd');
    fs::create_directory(deep);
    boost::asio::io_context io;
    const auto sockets = SocketFolder::make(deep / "results.db");
    REQUIRE(sockets);
    EventServer server(io.get_executor(), "c1", {});
    REQUIRE(server.listen(*sockets->path_of("c1")));
    CHECK(connect_to_campaign(deep / "results.db", "c1"));
}
