// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview/preview.hpp"

#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"

using namespace mediarig;
using namespace mediarig::app;

namespace {

NamedMedium image(const std::string& name, const std::string& node, std::uint64_t inode) {
    NamedMedium medium{.name = name, .identity = {}};
    medium.identity.node = node;
    medium.identity.transport = media::Transport::image;
    medium.identity.file = media::FileIdentity{.device = 7, .inode = inode};
    return medium;
}

NamedMedium loop_over(const std::string& name, std::uint64_t inode) {
    NamedMedium medium{.name = name, .identity = {}};
    medium.identity.node = name;
    medium.identity.transport = media::Transport::loop;
    medium.identity.backing_file = "/images/elsewhere.img";
    medium.identity.file = media::FileIdentity{.device = 7, .inode = inode};
    return medium;
}

NamedMedium stick(const std::string& node, const std::string& serial) {
    NamedMedium medium{.name = node, .identity = {}};
    medium.identity.node = node;
    medium.identity.transport = media::Transport::usb;
    medium.identity.usb = media::UsbIdentity{};
    medium.identity.serial = serial;
    return medium;
}

} // namespace

TEST_CASE("media of different files, keys and directories are distinct") {
    CHECK(check_distinct({}));
    CHECK(check_distinct({image("a.img", "/a.img", 1), image("b.img", "/b.img", 2), loop_over("/dev/loop0", 3),
                          stick("/dev/sdx", "BEEF"), stick("/dev/sdy", "CAFE")}));
    // Two directories of one file system share its device number.
    NamedMedium one = image("d", "/m/d", 1), other = image("e", "/m/e", 1);
    one.identity.transport = other.identity.transport = media::Transport::directory;
    CHECK(check_distinct({one, other}));
}

TEST_CASE("one medium under two names is detected by its key or file") {
    const std::vector<std::pair<NamedMedium, NamedMedium>> pairs = {
        {image("a.img", "/a.img", 1), image("link", "/a.img", 1)},
        {image("a.img", "/a.img", 1), image("hard", "/hard.img", 1)},
        {image("a.img", "/a.img", 1), loop_over("/dev/loop0", 1)},
        {stick("/dev/sdx", "BEEF"), stick("/dev/disk/by-id/x", "BEEF")},
    };
    for (const auto& [first, second] : pairs) {
        CAPTURE(first.name, second.name);
        const auto distinct = check_distinct({first, second});
        REQUIRE(!distinct);
        CHECK(distinct.error().code == Errc::bad_request);
        CHECK_THAT(distinct.error().detail,
                   ContainsSubstring(second.name + " is the medium of " + first.name + " already"));
    }
}

TEST_CASE("check_distinct asks the agent about paths and ignores a missing medium") {
    agent::ClientHarness talk;
    auto made = std::make_unique<agent::FakeAgentLink>();
    agent::FakeAgentLink& link = *made;
    agent::AgentClient client(std::move(made));
    REQUIRE(talk.ask(client.hello("test")));
    link.media["/dev/sdx"] = stick("/dev/sdx", "BEEF").identity;
    link.media["/dev/disk/by-id/x"] = link.media["/dev/sdx"];
    plan::Plan plan;
    plan.media = {plan::MediumRef{.name = "x", .path = "/dev/sdx"},
                  plan::MediumRef{.name = "gone", .path = "/dev/sdz"}};
    CHECK(talk.ask(check_distinct(client, plan)));
    plan.media.push_back({.name = "again", .path = "/dev/disk/by-id/x"});
    const auto twice = talk.ask(check_distinct(client, plan));
    REQUIRE(!twice);
    CHECK_THAT(twice.error().detail, ContainsSubstring("/dev/disk/by-id/x is the medium of /dev/sdx already"));
}
