// SPDX-License-Identifier: GPL-3.0-or-later
/// Queries through smartctl: with scripts that give prepared answers, and with the real program on a real loop device.
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/media/claim/image/loop.hpp"
#include "host/media/identity/smart/linux/smartctl.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;
namespace fs = std::filesystem;

namespace {

/// A folder with an image, and an optional program called smartctl.
class Bench : public tests::Scratch {
public:
    Bench() { (void)Scratch::image("disk.img", 4_MiB); }
    [[nodiscard]] std::string image() const { return path("disk.img"); }
    /// Every call appends its arguments as a line to calls().
    void smartctl(const std::string& script) const {
        write("smartctl", "#!/bin/sh\necho \"$*\" >> " + path("calls") + '\n' + script + '\n');
        fs::permissions(*this / "smartctl", fs::perms::owner_all);
    }
    [[nodiscard]] std::vector<std::string> calls() const {
        std::vector<std::string> lines;
        std::ifstream file(*this / "calls");
        for (std::string line; std::getline(file, line);) lines.push_back(line);
        return lines;
    }
    [[nodiscard]] SmartReport ask(const Medium& medium) const {
        return make_smartctl({.search_path = path()})->read(medium);
    }
};

/// The loop device as a disk on a USB bridge of ASMedia.
Medium disk(const std::string& node) {
    struct stat status {};
    REQUIRE(::stat(node.c_str(), &status) == 0);
    Medium medium;
    medium.node = node;
    medium.number = {major(status.st_rdev), minor(status.st_rdev)};
    medium.transport = Transport::usb;
    medium.usb = UsbIdentity{};
    medium.usb->vendor_id = "174c";
    return medium;
}

} // namespace

TEST_CASE("smartctl: device types are tried in order until smartctl answers") {
    if (::geteuid() != 0) MEDIARIG_SKIP("loop devices need root");
    const Bench bench;
    const auto loop = attach_loop(bench.image());
    REQUIRE(reason(loop) == "success");
    const std::string& node = loop->node();
    bench.smartctl(R"(case "$*" in
*sntasmedia*) echo '{"smartctl": {"version": [7, 3]}, "device": {"type": "sntasmedia"}, "smart_status": {"passed": true}}';;
*) echo '{"smartctl": {"version": [7, 3], "messages": [{"string": "no", "severity": "error"}]}}'; exit 2;;
esac)");
    const SmartReport report = bench.ask(disk(node));
    CHECK(report.state == SmartState::passed);
    CHECK(report.device_type == "sntasmedia");
    CHECK(bench.calls() == std::vector<std::string>{"--json --all " + node, "--json --all -d sat " + node,
                                                    "--json --all -d sntasmedia " + node});
}

TEST_CASE("smartctl: if no device type gives an answer, the first output is kept and is not a failure") {
    if (::geteuid() != 0) MEDIARIG_SKIP("loop devices need root");
    const Bench bench;
    const auto loop = attach_loop(bench.image());
    REQUIRE(reason(loop) == "success");
    bench.smartctl(
        R"(echo "{\"smartctl\": {\"messages\": [{\"string\": \"asked $#\", \"severity\": \"error\"}]}}"; exit 2)");
    const SmartReport report = bench.ask(disk(loop->node()));
    CHECK(report.state == SmartState::unsupported);
    CHECK(report.detail == "asked 3");
    CHECK(bench.calls().size() == 3);
}

TEST_CASE(
    "smartctl: a missing, hanging or killed program is reported, and so is a node that belongs to another device or "
    "cannot be opened") {
    if (::geteuid() != 0) MEDIARIG_SKIP("loop devices need root");
    const Bench bench;
    const auto loop = attach_loop(bench.image());
    REQUIRE(reason(loop) == "success");
    Medium medium = disk(loop->node());
    SmartReport report = bench.ask(medium);
    CHECK(report.state == SmartState::not_installed);
    CHECK(report.detail == "smartctl is not installed: apt install smartmontools");

    bench.smartctl("sleep 600");
    report =
        make_smartctl({.search_path = bench.path("") + ":/bin:/usr/bin", .time_limit = std::chrono::milliseconds(200)})
            ->read(medium);
    CHECK(report.state == SmartState::failed);
    CHECK_FALSE(report.detail.empty());

    bench.smartctl("kill -9 $$");
    CHECK(bench.ask(medium).detail == "smartctl ended with signal 9");

    medium.number.minor += 1;
    CHECK(bench.ask(medium).detail == medium.node + " is another device now: identify it again");
    medium.node = "/dev/nothing-here";
    CHECK(bench.ask(medium).detail == "/dev/nothing-here cannot be opened: No such file or directory");
    // No program was started for the last two queries.
    CHECK(bench.calls().size() == 2);
}

TEST_CASE("smartctl: no program is started for an image, a card in a slot or a loop device") {
    const Bench bench;
    bench.smartctl("echo '{}'");
    for (const Transport transport : {Transport::image, Transport::mmc, Transport::loop, Transport::virtio}) {
        Medium medium;
        medium.node = bench.image();
        medium.transport = transport;
        CHECK(bench.ask(medium).state == SmartState::unsupported);
    }
    CHECK(bench.calls().empty());
}

TEST_CASE("smartctl: the real program reports that a loop device has no SMART") {
    if (::geteuid() != 0) MEDIARIG_SKIP("loop devices need root");
    if (!process::find_program("smartctl")) MEDIARIG_SKIP("smartctl is not installed");
    const Bench bench;
    const auto loop = attach_loop(bench.image());
    REQUIRE(reason(loop) == "success");
    const SmartReport report = make_smartctl({})->read(disk(loop->node()));
    CHECK(report.state == SmartState::unsupported);
    CHECK(report.tool.starts_with("smartctl "));
    CHECK(report.detail == loop->node() + ": Unable to detect device type");
    CHECK(report.exit_meanings == std::vector<std::string>{"the command line was not understood"});
}
