// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the operator who removes a medium and connects it again.
#include "host/rig/station/replugged.hpp"

#include "tests/rig/agent_bench.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using namespace std::chrono_literals;

namespace {

struct ReplugBench : AgentBench {
    Person person;
    media::Medium medium = stick(1);
    ReplugWait wait{.within = 40ms, .poll_interval = 1ms};

    ReplugBench() { link.media[medium.node] = medium; }

    /// The sequence is that of the kernel: each attachment has a new one.
    static media::Medium stick(std::uint64_t sequence, const std::string& node = "/dev/sdb",
                               const std::string& serial = "A") {
        media::Medium medium = usb_medium(node, serial, "1-2");
        medium.disk_sequence = sequence;
        return medium;
    }
    /// At the first request the operator removes the medium and connects `now`.
    void connects(const media::Medium& now) {
        person.obey = [this, now](const std::string& line) {
            if (line.find("remove the medium") == std::string::npos) return;
            link.media.clear();
            link.media[now.node] = now;
        };
    }
    Result<media::Medium> replug() { return run(replugged(medium, person, client, wait)); }
};

} // namespace

TEST_CASE("a replugged medium is recognised by its identity, also under another node") {
    for (const std::string node : {"/dev/sdb", "/dev/sdc"}) {
        ReplugBench bench;
        bench.connects(ReplugBench::stick(2, node));
        const auto back = bench.replug();
        REQUIRE(reason(back) == "success");
        CHECK(back->node == node);
        CHECK(back->disk_sequence == 2);
        CHECK(bench.person.told ==
              std::vector<std::string>{
                  "/dev/sdb, Acme, 67.1 MB, serial A: remove the medium and connect it again (0 s)"});
    }
}

TEST_CASE("another medium is reported to the operator and never accepted") {
    ReplugBench bench;
    SECTION("another serial") {
        bench.connects(ReplugBench::stick(2, "/dev/sdb", "B"));
    }
    SECTION("another size") {
        media::Medium smaller = ReplugBench::stick(2);
        smaller.size = 32_MiB;
        bench.connects(smaller);
    }
    const auto back = bench.replug();
    REQUIRE_FALSE(back);
    CHECK(back.error().code == Errc::no_medium);
    CHECK_THAT(back.error().detail, ContainsSubstring("was connected instead of /dev/sdb, Acme, 67.1 MB, serial A"));
    REQUIRE(bench.person.told.size() == 2);
    CHECK_THAT(bench.person.told[1], ContainsSubstring("is another medium: connect /dev/sdb"));
}

TEST_CASE("a replug ends in time if the medium stays or does not return") {
    ReplugBench bench;
    std::string expected = "was not removed within";
    SECTION("it stays") {}
    SECTION("it does not return") {
        expected = "was not connected again within";
        bench.person.obey = [&](const std::string&) { bench.link.media.clear(); };
    }
    const auto back = bench.replug();
    REQUIRE_FALSE(back);
    CHECK(back.error().code == Errc::no_medium);
    CHECK_THAT(back.error().detail, ContainsSubstring(expected));
}

TEST_CASE("a replug ends on a stop request") {
    ReplugBench bench;
    bench.wait.given_up = [] { return true; };
    CHECK(bench.replug().error().code == Errc::cancelled);
}

TEST_CASE("images and loop devices cannot be replugged") {
    media::Medium medium = ReplugBench::stick(1);
    CHECK(can_be_replugged(medium));
    for (const media::Transport transport : {media::Transport::image, media::Transport::loop}) {
        medium.transport = transport;
        CHECK_FALSE(can_be_replugged(medium));
    }
}
