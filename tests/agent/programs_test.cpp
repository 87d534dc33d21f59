// SPDX-License-Identifier: GPL-3.0-or-later
// Checks which libraries the programs link: the agent links few, and the static agent links none.
#include <set>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/process/process_link.hpp"
#include "host/base/process/run_process.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/agent/scratch_image.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;

namespace {

std::string needed_libraries(const std::string& program) {
    const auto listed = process::run_process({.program = "ldd", .arguments = {program}});
    REQUIRE(reason(listed) == "success");
    return listed->out + listed->err;
}

} // namespace

TEST_CASE("agent program: the agent links no Qt, SQL or controller library") {
    const std::string libraries = needed_libraries(MEDIARIG_AGENT);
    CHECK_THAT(libraries, ContainsSubstring("libc.so"));
    for (const char* unwanted : {"Qt", "sqlite", "soci", "libpq", "libmysql", "libcurl", "libssl"}) {
        CAPTURE(libraries);
        CHECK(libraries.find(unwanted) == std::string::npos);
    }
}

#ifdef MEDIARIG_STATIC_AGENT
namespace {

/// Excludes loop devices, because other processes of the machine change them.
std::set<std::string> nodes_of(const std::vector<media::Medium>& devices) {
    std::set<std::string> nodes;
    for (const media::Medium& medium : devices)
        if (medium.transport != media::Transport::loop) nodes.insert(medium.node);
    return nodes;
}

} // namespace

TEST_CASE("static agent: the program runs on a bare kernel and finds the same devices as the dynamic agent") {
    CHECK_THAT(needed_libraries(MEDIARIG_STATIC_AGENT), ContainsSubstring("not a dynamic executable"));
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root to change its root directory");

    const ScratchImage folder(0);
    const auto root = std::filesystem::path(folder.path()).parent_path() / "root";
    for (const char* name : {"dev", "proc", "sys"}) std::filesystem::create_directories(root / name);
    std::filesystem::copy_file(MEDIARIG_STATIC_AGENT, root / "agent");
    // The mounts belong to a namespace that ends with the agent. The root is bound to itself, because only a mount can
    // become private.
    const std::string script =
        "mount --bind \"$0\" \"$0\" && cd \"$0\" && mount -t proc proc proc && mount -t sysfs sysfs sys && "
        "mount -t devtmpfs devtmpfs dev && exec chroot . /agent --stdio";
    ClientHarness talk;
    AgentClient bare(
        make_process_link(talk.io.get_executor(), {{"unshare", "--mount", "sh", "-c", script, root.string()}, "bare"}));
    const auto hello = talk.ask(bare.hello("programs_test"));
    if (!hello && hello.error().detail.find("unshare") != std::string::npos) MEDIARIG_SKIP(hello.error().detail);
    REQUIRE(reason(hello) == "success");
    CHECK(hello->kernel.starts_with("Linux "));
    for (const auto& [tool, version] : hello->tools) CHECK_FALSE(version);
    const auto found = talk.ask(bare.devices());
    REQUIRE(reason(found) == "success");

    AgentClient full(make_process_link(talk.io.get_executor(), local_agent(MEDIARIG_AGENT)));
    REQUIRE(reason(talk.ask(full.hello("programs_test"))) == "success");
    const auto expected = talk.ask(full.devices());
    REQUIRE(reason(expected) == "success");
    CHECK_FALSE(found->empty());
    CHECK(nodes_of(*found) == nodes_of(*expected));

    const auto formatted = talk.ask(bare.claim({"/nowhere", "/nowhere"}));
    CHECK(formatted.error().code == Errc::bad_request);
    CHECK(reason(talk.ask(bare.close())) == "success");
    CHECK(reason(talk.ask(full.close())) == "success");
}
#endif
