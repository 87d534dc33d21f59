// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "tests/lab/card/serving.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;

namespace {

constexpr const char* small_cached = R"({"claimed_bytes": "1MiB", "volatile_cache": {"bytes": "512KiB"}})";

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

} // namespace

TEST_CASE("card server: a server starts, answers, and leaves only the file of the medium when it stops") {
    const std::size_t before = open_descriptors();
    {
        Serving card(small_cached);
        card.start();
        const pid_t pid = card.server->pid();
        CHECK(std::filesystem::is_socket(card.server->nbd_socket()));
        CHECK(std::filesystem::is_socket(card.server->control_socket()));
        CHECK(card.stats()->powered);
        CHECK(reason(card.ask(card.server->stop())) == "success");
        CHECK(::kill(pid, 0) == -1);
        CHECK_FALSE(std::filesystem::exists(card.folder / "m.nbd"));
        CHECK_FALSE(std::filesystem::exists(card.folder / "m.ctl"));
        CHECK(std::filesystem::exists(card.folder / "m.raw"));
        CHECK(reason(card.ask(card.server->stop())) == "success");
        CHECK(card.stats().error().code == Errc::io_failed);
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("card server: a clean stop keeps acknowledged data, a kill does not") {
    for (const bool killed : {false, true}) {
        CAPTURE(killed);
        Serving card(small_cached);
        card.start();
        const std::string source = card.folder.write("in", std::string(4096, 'x'));
        REQUIRE(run_checker("nbdcopy", {source, card.uri()}) == "done");
        const pid_t pid = card.server->pid();
        if (killed) {
            REQUIRE(::kill(pid, SIGKILL) == 0);
            CHECK(ends(pid));
            CHECK(reason(card.ask(card.server->stop())) ==
                  "the medium m did not shut down cleanly: nbdkit ended with "
                  "signal 9, without a message");
        } else {
            REQUIRE(card.ask(card.server->stop()));
        }
        CHECK(tests::text_of(card.folder / "m.raw").substr(0, 4096) == std::string(4096, killed ? '\0' : 'x'));
        CHECK_FALSE(std::filesystem::exists(card.folder / "m.nbd"));
        CHECK_FALSE(std::filesystem::exists(card.folder / "m.ctl"));
        // Serve the same medium again at the same path.
        card.start();
        CHECK(card.ask(card.server->stop()));
    }
}

TEST_CASE("card server: a running server exits when its owner dies") {
    Serving card(small_cached);
    card.start();
    const pid_t pid = card.server->pid();
    card.server.reset();
    CHECK(::kill(pid, 0) == -1);
    CHECK_FALSE(std::filesystem::exists(card.folder / "m.nbd"));
    CHECK_FALSE(std::filesystem::exists(card.folder / "m.ctl"));
}

TEST_CASE("card server: a killed controller leaves no process and the medium can be served again") {
    Serving card(small_cached);
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    const pid_t controller = ::fork();
    REQUIRE(controller >= 0);
    if (controller == 0) {
        // Never returns: prints the process id of the server and waits to be killed.
        pid_t serving = -1;
        Serving inner(small_cached);
        auto started = inner.ask(CardServer::start(Serving::programs(), card.medium, card.folder.path()));
        if (started) serving = (*started)->pid();
        std::filesystem::remove_all(inner.folder.path());
        [[maybe_unused]] const auto written = ::write(pipe[1], &serving, sizeof serving);
        while (true) ::pause();
    }
    pid_t serving = -1;
    const auto got = ::read(pipe[0], &serving, sizeof serving);
    ::kill(controller, SIGKILL);
    ::waitpid(controller, nullptr, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
    REQUIRE(got == sizeof serving);
    REQUIRE(serving > 0);
    CHECK(ends(serving));
    card.start();
    CHECK(card.ask(card.server->stop()));
}

TEST_CASE("card server: an invalid configuration is reported in one line") {
    Serving wrong(R"({"claimed_bytes": "1MiB", "sped": 1})");
    auto started = wrong.ask(CardServer::start(Serving::programs(), wrong.medium, wrong.folder.path()));
    REQUIRE_FALSE(started);
    CHECK(started.error().code == Errc::bad_request);
    CHECK_THAT(started.error().detail,
               ContainsSubstring("the medium m cannot be served: nbdkit ended with exit status 1") &&
                   ContainsSubstring("/sped: unknown member"));
    CHECK(started.error().detail.find('\n') == std::string::npos);

    const std::filesystem::path deep = wrong.folder / std::string(90, 'd');
    CHECK_THAT(reason(wrong.ask(CardServer::start(Serving::programs(), wrong.medium, deep))),
               ContainsSubstring("but a Unix socket takes 107 at most: use a shorter folder"));

    Serving card(small_cached);
    card.start();
    CHECK_THAT(reason(card.ask(CardServer::start(Serving::programs(), card.medium, card.folder.path()))),
               ContainsSubstring("the medium m is already served"));
    CardMedium other = card.medium;
    other.name = "n";
    CHECK_THAT(reason(card.ask(CardServer::start(Serving::programs(), other, card.folder.path()))),
               ContainsSubstring("is in use by another medium"));
    CHECK(card.stats()->powered);

    CHECK(card.ask(CardServer::start({"/nowhere/nbdkit", MEDIARIG_CARD_PLUGIN}, other, card.folder.path()))
              .error()
              .code == Errc::io_failed);
}

TEST_CASE("card server: the plugin is expected next to the running program") {
    // The folder of the tests contains no plugin.
    const auto programs = find_card_programs();
    REQUIRE_FALSE(programs);
    CHECK(programs.error() ==
          Error{Errc::no_driver,
                "mediarig-card.so, which models the lab's media, is not at " +
                    (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mediarig-card.so").string() +
                    ": build it, or install the package mediarig-lab"});
}

TEST_CASE("card server: every command reaches the medium") {
    Serving card(small_cached);
    card.start();
    REQUIRE(card.tell(AddBadSectors{{.sectors = {{10}, 5}}}));
    CHECK(card.stats()->bad_sectors == 5);
    REQUIRE(card.tell(RemoveBadSectors{{{10}, 4}}));
    CHECK(card.stats()->bad_sectors == 1);
    REQUIRE(card.tell(RemoveBadSectors{{{14}, 1}}));
    REQUIRE(card.tell(Corrupt{{.sectors = {{3}, 1}, .bits_per_sector = 8}}));
    const std::string raw = tests::text_of(card.folder / "m.raw");
    CHECK(raw.find_first_not_of('\0') / 512 == 3);
    REQUIRE(card.tell(SetThrottle{{.read = {}, .write = Rate{1e6}}}));
    const std::string source = card.folder.write("in", std::string(512'000, 'x'));
    REQUIRE(run_checker("nbdcopy", {source, card.uri()}) == "done");
    CHECK(card.stats()->of(BlockRequest::write).took == 512ms);
    REQUIRE(card.tell(PowerCut{Loss::subset}));
    CHECK_FALSE(card.stats()->powered);
    REQUIRE(card.tell(PowerOn{}));
    const auto outside = card.tell(AddBadSectors{{.sectors = {{2048}, 1}}});
    CHECK(outside.error() ==
          Error{Errc::bad_request, "the range ends at sector 2049, but the medium has 2048 sectors"});
}

TEST_CASE("card server: the server waits for the full sum of many modelled times") {
    Serving card(R"({"claimed_bytes": "1MiB", "read": {"latency_ns": 700000}})", {}, 1);
    card.start();
    const auto before = std::chrono::steady_clock::now();
    REQUIRE(run_checker("nbdcopy", {"--request-size=4096", "--requests=1", "--connections=1", card.uri(), "null:"}) ==
            "done");
    const auto elapsed = std::chrono::steady_clock::now() - before;
    const auto stats = card.stats();
    REQUIRE(stats);
    CHECK(stats->of(BlockRequest::read).took == stats->of(BlockRequest::read).requests * 700us);
    CHECK(stats->of(BlockRequest::read).requests == 256);
    CHECK(elapsed >= stats->of(BlockRequest::read).took);
}

TEST_CASE("card server: commands are answered while the medium is slow") {
    // One request takes a minute. The test ends it with the server.
    Serving card(R"({"claimed_bytes": "1MiB", "read": {"latency_ns": 60000000000}})", {}, 1);
    card.start();
    std::thread reading([&] { run_checker("nbdcopy", {card.uri(), "null:"}); });
    while (card.stats()->of(BlockRequest::read).requests == 0) std::this_thread::yield();
    REQUIRE(card.tell(SetThrottle{{.read = Rate{1}, .write = {}}}));
    const auto stopped = card.ask(card.server->stop());
    reading.join();
    CHECK(reason(stopped) == "success");
}
