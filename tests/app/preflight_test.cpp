// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preflight.hpp"

#include "host/media/identity/confirmation.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::app;
using nlohmann::json;

namespace {

/// A USB stick that the fake agent reports as /dev/sdx.
struct Looking {
    agent::ClientHarness talk;
    agent::FakeAgentLink* link;
    agent::AgentClient client;
    agent::HelloReport machine;
    plan::Plan plan;

    explicit Looking(std::unique_ptr<agent::FakeAgentLink> made = std::make_unique<agent::FakeAgentLink>())
        : link(made.get()), client(std::move(made)) {
        media::Medium stick;
        stick.node = "/dev/sdx";
        stick.serial = "BEEF";
        stick.size = 1_GiB;
        stick.usb = media::UsbIdentity{};
        stick.usb->port_path = "1-2.3";
        link->media["/dev/sdx"] = stick;
        machine = *talk.ask(client.hello("test"));
        plan.media = {plan::MediumRef{.name = "stick", .path = "/dev/sdx"}};
        plan.formats = {plan::FormatEntry{}};
        plan.suites = {plan::SuiteEntry{.request = {.name = "quickbench"}}};
    }
    /// Problems that a dry run reports.
    std::vector<Error> problems() {
        return talk.ask(check_media(client, machine, plan, Claims::tried))->front().problems;
    }
    /// Warnings that a run reports.
    Result<std::vector<std::string>> warnings() { return talk.ask(preflight(client, machine, plan)); }
    void add(const std::string& path, const media::Medium& medium) {
        link->media[path] = medium;
        plan.media.push_back({.name = path, .path = path});
    }
    [[nodiscard]] std::size_t asked(const std::string& method) const {
        return static_cast<std::size_t>(std::ranges::count(link->calls, method, &agent::FakeAgentLink::Call::method));
    }
};

} // namespace

TEST_CASE(
    "a dry run accepts a medium with an ambiguous serial if the plan confirms it by its port or contains no "
    "confirmation") {
    Looking looking;
    looking.link->media["/dev/sdx"].refusals = {{media::RefusalKind::ambiguous, "/dev/sdy has the same serial"}};
    CHECK(looking.problems().empty());
    looking.plan.media.front().confirm = "usb port path 1-2.3";
    CHECK(looking.problems().empty());

    looking.plan.media.front().confirm = "BEEF";
    const auto by_serial = looking.problems();
    REQUIRE(by_serial.size() == 1);
    CHECK(by_serial.front().code == Errc::refused);
    CHECK(by_serial.front().detail == "/dev/sdy has the same serial");
    CHECK(looking.link->open_claims() == 0);
}

TEST_CASE("a dry run lists each missing tool and driver once, and then claims nothing") {
    Looking looking;
    looking.link->answers["support"] = [](const json& params, const auto&) -> Result<json> {
        CHECK(params.at("mount") == true);
        if (params.at("fs") == "exfat") return json{{"lacks", {"mkfs.exfat is not installed", "no driver for exFAT"}}};
        return json{{"lacks", {"no driver for exFAT", "no driver for APFS"}}};
    };
    plan::FormatEntry apfs;
    apfs.spec.fs = media::FileSystem::apfs;
    looking.plan.formats = {plan::FormatEntry{}, apfs, plan::FormatEntry{}};
    std::vector<std::string> lines;
    for (const Error& problem : looking.problems()) {
        CHECK(problem.code == Errc::no_driver);
        lines.push_back(problem.detail);
    }
    CHECK(lines ==
          std::vector<std::string>{"mkfs.exfat is not installed", "no driver for exFAT", "no driver for APFS"});
    CHECK(looking.asked("support") == 2); // one query for each file system
    CHECK(looking.asked("claim") == 0);
}

TEST_CASE("a dry run without privilege reports the missing privilege and queries only tools") {
    Looking looking;
    looking.machine.privileged = false;
    looking.link->answers["support"] = [](const json& params, const auto&) -> Result<json> {
        CHECK_FALSE(params.value("mount", false));
        return json{{"lacks", json::array()}};
    };
    const auto problems = looking.problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().code == Errc::no_permission);
    CHECK_THAT(problems.front().detail, ContainsSubstring("may not claim, format or mount"));
}

TEST_CASE(
    "a dry run reports a profile that has no format for the medium, and does not ask the agent about a kept format") {
    Looking looking;
    looking.plan.formats.front().profile = media::FormatProfile::sd;
    looking.plan.formats.front().wanted = media::FileSystem::exfat;
    const auto problems = looking.problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().code == Errc::bad_request);
    CHECK_THAT(problems.front().detail, ContainsSubstring("does not support exFAT on this medium"));

    looking.plan.formats = {plan::FormatEntry{.keep = true}};
    CHECK(looking.problems().empty());
    CHECK(looking.asked("support") == 0);
}

TEST_CASE(
    "a comparison is refused before it begins if formats have no driver, and the error names a remedy for each missing "
    "driver") {
    Looking looking;
    looking.link->answers["support"] = [](const json& params, const auto&) -> Result<json> {
        if (params.at("fs") == "exfat") return json{{"lacks", json::array()}};
        return json{{"lacks", {params.at("fs") == "apfs" ? "no driver for APFS: use a Mac" : "no driver for HFS+"}}};
    };
    plan::FormatEntry apfs, hfs;
    apfs.spec.fs = media::FileSystem::apfs;
    hfs.spec.fs = media::FileSystem::hfs_plus;
    looking.plan.formats = {plan::FormatEntry{}, apfs, hfs};
    // Without a comparison each format is independent, and the missing part is reported before any write.
    const auto one = looking.warnings();
    REQUIRE(one->size() == 1);
    CHECK_THAT(one->front(),
               ContainsSubstring(": some formats cannot be measured here and are recorded as untested: APFS: "
                                 "no driver for APFS: use a Mac; HFS+: no driver for HFS+"));
    CHECK(looking.asked("claim") == 0);
    // Twenty media that lack the same driver give one line.
    looking.plan.media.push_back(looking.plan.media.front());
    looking.plan.media.back().name = "another";
    looking.plan.media.back().path = "/dev/sdy";
    looking.link->media["/dev/sdy"] = looking.link->media["/dev/sdx"];
    looking.link->media["/dev/sdy"].serial = "CAFE";
    const auto of_both = looking.warnings();
    REQUIRE(of_both->size() == 1);
    CHECK_THAT(of_both->front(), ContainsSubstring(" and 1 more: some formats cannot be measured here"));
    looking.plan.media.pop_back();
    looking.plan.compare = plan::Compare{};
    const auto refused = looking.warnings();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::no_driver);
    CHECK_THAT(refused.error().detail,
               ContainsSubstring("APFS: no driver for APFS: use a Mac; HFS+: no driver for HFS+") &&
                   ContainsSubstring("nothing was written"));
    CHECK(looking.asked("claim") == 0);
    looking.plan.formats = {plan::FormatEntry{}, plan::FormatEntry{}};
    CHECK(looking.warnings()->empty());
    CHECK(looking.asked("claim") == 1);
    CHECK(looking.link->open_claims() == 0);
}

TEST_CASE("a dry run refuses a job that would fill the root file system, but not a job that leaves space") {
    Looking looking;
    media::Medium folder;
    folder.node = "/tmp/here";
    folder.transport = media::Transport::directory;
    folder.size = 64_GiB;
    folder.refusals = {{media::RefusalKind::system_disk, "/tmp/here is on the root file system (/)"}};
    looking.link->media["/tmp/here"] = folder;
    looking.plan.media = {plan::MediumRef{.name = "here", .directory = "/tmp/here"}};
    looking.plan.formats.clear();
    const auto refused = [&](const std::string& suite, bool quick, std::optional<Bytes> span = {}) {
        looking.plan.suites = {plan::SuiteEntry{.request = {.name = suite, .quick = quick, .span = span}}};
        const auto problems = looking.problems();
        CHECK(problems.size() <= 1);
        return !problems.empty() && problems.front().code == Errc::refused &&
               problems.front().detail.find("which " + suite + " would fill") != std::string::npos;
    };
    CHECK(refused("verify", false));
    CHECK_FALSE(refused("verify", true));
    CHECK_FALSE(refused("verify", false, 1_GiB));
    CHECK(refused("disktester-fill", false));
    CHECK_FALSE(refused("disktester-fill", true));
    CHECK_FALSE(refused("quickbench", false));
    looking.link->media["/tmp/here"].refusals.clear();
    CHECK_FALSE(refused("verify", false));
}

TEST_CASE("a campaign of several media reports at its start the media that it will not test") {
    Looking looking;
    media::Medium mounted = looking.link->media["/dev/sdx"];
    mounted.node = "/dev/sdy";
    mounted.serial = "CAFE";
    mounted.refusals = {{media::RefusalKind::mounted, "sdy1 is mounted on /home"}};
    looking.link->media["/dev/sdy"] = mounted;
    looking.machine.privileged = false; // no report about drivers
    looking.plan.media.push_back({.name = "home", .path = "/dev/sdy"});
    looking.plan.media.push_back({.name = "typo", .path = "/dev/sdzz"});
    const auto lines = *looking.warnings();
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "home: this medium will not be tested: sdy1 is mounted on /home");
    CHECK_THAT(lines[1], ContainsSubstring("typo: this medium will not be tested: "));
    CHECK_THAT(lines[1], ContainsSubstring("/dev/sdzz"));
    CHECK(looking.asked("claim") == 0);

    looking.plan.media.resize(2);
    looking.plan.suites.front().request.span = 2_GiB;
    CHECK_THAT(looking.warnings()->front(), ContainsSubstring("stick: this medium will not be tested: "));
    // A campaign of one medium reports the reason itself.
    looking.plan.media.resize(1);
    CHECK(looking.warnings()->empty());
}

namespace {

media::Medium file_of(media::Transport transport, const std::string& node, std::uint64_t inode) {
    media::Medium medium;
    medium.node = node;
    medium.transport = transport;
    medium.file = media::FileIdentity{.device = 7, .inode = inode};
    return medium;
}

media::Medium loop_over(const std::string& node, std::uint64_t inode) {
    media::Medium medium = file_of(media::Transport::loop, node, inode);
    medium.backing_file = "/images/elsewhere.img";
    return medium;
}

} // namespace

TEST_CASE("media of different files, keys and directories are distinct, and a missing medium is ignored") {
    Looking looking;
    media::Medium other = looking.link->media["/dev/sdx"];
    other.serial = "CAFE";
    looking.add("/dev/sdy", other);
    looking.add("a.img", file_of(media::Transport::image, "/a.img", 1));
    looking.add("b.img", file_of(media::Transport::image, "/b.img", 2));
    looking.add("/dev/loop0", loop_over("/dev/loop0", 3));
    // Two directories of one file system share its device number.
    looking.add("d", file_of(media::Transport::directory, "/m/d", 9));
    looking.add("e", file_of(media::Transport::directory, "/m/e", 9));
    looking.plan.media.push_back({.name = "gone", .path = "/dev/sdz"});
    CHECK(looking.warnings());
    CHECK(looking.talk.ask(check_media(looking.client, looking.machine, looking.plan, Claims::tried)));
}

TEST_CASE("one medium under two names is detected by its key or file") {
    constexpr auto image = media::Transport::image;
    const media::Medium first = file_of(image, "/a.img", 1);
    Looking looking;
    const auto stick = looking.link->media["/dev/sdx"];
    const auto [name, one, again, other] = GENERATE_COPY(table<std::string, media::Medium, std::string, media::Medium>(
        {{"a.img", first, "link", file_of(image, "/a.img", 1)},
         {"a.img", first, "hard", file_of(image, "/hard.img", 1)},
         {"a.img", first, "/dev/loop0", loop_over("/dev/loop0", 1)},
         {"/dev/sdx", stick, "/dev/disk/by-id/x", stick}}));
    CAPTURE(name, again);
    looking.plan.media.clear();
    looking.add(name, one);
    looking.add(again, other);
    looking.plan.compare = GENERATE(std::optional<plan::Compare>(), plan::Compare{});
    const auto run = looking.warnings();
    const auto dry_run = looking.talk.ask(check_media(looking.client, looking.machine, looking.plan, Claims::tried));
    REQUIRE(!run);
    REQUIRE(!dry_run);
    CHECK(run.error() == dry_run.error());
    CHECK(run.error().code == Errc::bad_request);
    CHECK_THAT(run.error().detail, ContainsSubstring(again + " is the medium of " + name + " already"));
    CHECK(looking.asked("claim") == 0);
}
