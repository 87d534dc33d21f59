// SPDX-License-Identifier: GPL-3.0-or-later
// A slow guest is not hung, and messages of kernel and QEMU are parsed.
#include <sstream>

#include "host/lab/machine/console.hpp"
#include "host/lab/machine/guest_shell.hpp"
#include "host/lab/machine/preflight.hpp"
#include "host/lab/machine/watchdog.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

using std::chrono::seconds;

} // namespace

TEST_CASE("watchdog: a guest that answers or transfers data is slow, and a guest that does neither is hung") {
    const Watchdog::Time start{};
    Watchdog dog(start, seconds(120));
    const auto look = [&](bool answers, std::uint64_t activity, int at) {
        return dog.look({answers, "running", activity}, start + seconds(at)).value_or("works");
    };
    CHECK(look(false, 10, 100) == "works");
    // The shell does not answer for ten minutes, but block I/O continues.
    for (int at = 120; at <= 720; at += 100) CHECK(look(false, static_cast<std::uint64_t>(at), at) == "works");
    // There is no I/O, but the shell answers.
    for (int at = 800; at <= 1400; at += 100) CHECK(look(true, 5, at) == "works");
    CHECK(look(false, 5, 1519) == "works");
    CHECK(look(false, 5, 1520) == "the guest does not respond: no answer and no block operation for 120 s");
}

TEST_CASE("watchdog: a machine that QEMU has stopped counts as failed at once") {
    Watchdog dog(Watchdog::Time{}, seconds(120));
    for (const char* status : {"paused", "io-error", "internal-error", "guest-panicked", "silent"})
        CHECK(dog.look({true, status, 0}, Watchdog::Time{}).value_or("works") ==
              "the virtual machine stopped: QEMU reports '" + std::string(status) + "'");
}

TEST_CASE("watchdog: block statistics are summed over all devices and invalid ones count as zero") {
    const auto stats = nlohmann::json::parse(R"([{"stats": {"rd_operations": 3, "wr_bytes": 512, "timed_stats": []}},
                                                 {"stats": {"flush_operations": 1}}, {"device": "x"}, 7])");
    CHECK(block_activity(stats) == 516);
    CHECK(block_activity(nlohmann::json::object()) == 0);
}

TEST_CASE(
    "console: a panic is detected across any split, a lockup does not count as a panic, and the last lines are kept") {
    ConsoleWatch watch;
    watch.push(
        "[ 1.0] usb 2-1: new SuperSpeed USB device\r\n[ 2.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!\n");
    watch.push("[ 3.0] rcu: INFO: rcu_preempt detected stalls\n");
    CHECK(!watch.fatal());
    watch.push("[ 4.0] Kernel pan");
    CHECK(!watch.fatal());
    watch.push("ic - not syncing: sysrq triggered crash\n[ 5.0] Rebooting\n[ 6.");
    REQUIRE(watch.fatal());
    CHECK(*watch.fatal() == "[ 4.0] Kernel panic - not syncing: sysrq triggered crash");
    CHECK(watch.last_lines() ==
          "[ 3.0] rcu: INFO: rcu_preempt detected stalls | [ 4.0] Kernel panic - not syncing: sysrq triggered crash | "
          "[ 5.0] Rebooting | [ 6.");
    for (const char* line : {"BUG: kernel NULL pointer dereference, address: 0000000000000008\n",
                             "Oops: 0002 [#1] PREEMPT SMP NOPTI\n", "kernel BUG at fs/inode.c:612!\n"}) {
        ConsoleWatch other;
        other.push(line);
        CHECK(other.fatal());
    }
    // The output has a limited length, whatever a device's name contains.
    ConsoleWatch noisy;
    noisy.push(std::string(100'000, 'x') + "\x1b[31m\n");
    CHECK(noisy.last_lines().size() == 300);
}

TEST_CASE("console: the final output of QEMU is reduced to one line with the fault") {
    CHECK(explain_qemu("") == "QEMU printed nothing");
    CHECK(
        explain_qemu("qemu-system-x86_64: warning: x\nqemu-system-x86_64: -device nonsense: 'nonsense' is not a valid "
                     "device model name\n\n") == "-device nonsense: 'nonsense' is not a valid device model name");
    CHECK(explain_qemu("qemu-system-x86_64: -drive file=a.img: Failed to get \"write\" lock\nIs another process using "
                       "the image [a.img]?\n") ==
          "an image is in use by another program: Is another process using the image [a.img]?");
}

TEST_CASE("preflight: a missing prerequisite is reported with the remedy") {
    CHECK(reason(find_qemu("qemu-system-nowhere")) ==
          "the lab needs qemu-system-nowhere, which is not installed: install the package qemu-system-x86");
    CHECK(reason(check_image({"", ""})) == "the lab has no guest image: build it with 'mediarig lab build'");
    CHECK(reason(check_image({"/nowhere/vmlinux", "/nowhere/initrd.img"})) ==
          "the lab has no guest image at /nowhere/vmlinux: build it with 'mediarig lab build'");
    CHECK(reason(check_memory(512_MiB, 900_MiB)) == "success");
    const auto little = check_memory(512_MiB, 800_MiB);
    CHECK(reason(little) == "the lab needs 862 MiB of memory and 800 MiB are available: close other programs");
    REQUIRE(!little.has_value());
    CHECK(exit_status(little.error().code) == 3);
    CHECK_THAT(reason(check_free_space("/tmp", 1_GiB * (1 << 30))),
               ContainsSubstring("free some space or choose another directory"));
    CHECK_THAT(reason(check_free_space("/nowhere", 1_B)), ContainsSubstring("cannot read the free space of /nowhere"));
    CHECK_THAT(reason(size_of_image("/nowhere.img")), ContainsSubstring("there is no image file /nowhere.img"));
    std::istringstream meminfo("MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:   22000000 kB\n");
    CHECK(available_memory(meminfo) == Result<Bytes>(1_KiB * 22'000'000));
    std::istringstream other("MemTotal: 24 kB\n");
    CHECK_THAT(reason(available_memory(other)), ContainsSubstring("does not report"));
}

TEST_CASE("preflight: a machine that cannot start reports the reason in one line and leaves no files") {
    tests::Scratch scratch;
    const auto start = [&](MachineSpec spec) {
        Booted booted(std::move(spec));
        return booted.report ? std::string("started") : booted.report.error().detail;
    };
    const BootFiles files{scratch.image("vmlinux", 4_KiB), scratch.image("initrd.img", 4_KiB)};
    CHECK_THAT(start({.image = files, .qemu = "/nowhere/qemu"}), ContainsSubstring("install the package"));
    CHECK_THAT(start({}), ContainsSubstring("mediarig lab build"));
    CHECK_THAT(start({.image = files, .memory = 1_GiB * 4096}), ContainsSubstring("MiB of memory"));
    CHECK_THAT(start({.image = files, .directory = "/tmp/" + std::string(90, 'x')}),
               ContainsSubstring("too long for sockets"));
    CHECK_THAT(start({.image = files, .directory = "/nowhere"}), ContainsSubstring("cannot make a folder in /nowhere"));
    CHECK(start({.image = files, .slots = {{SlotId{0}, SlotKind::usb}}}) == "slots are numbered from 1");
    CHECK(processes_with(scratch.path()).empty());
    if (!find_qemu("qemu-system-x86_64")) MEDIARIG_SKIP("qemu-system-x86_64 is not installed");
    // A file of zeros is no kernel. The message is QEMU's own.
    const std::string refused = start({.image = files, .accelerator = Accelerator::tcg, .directory = scratch.path()});
    CHECK_THAT(refused, ContainsSubstring("QEMU did not start: "));
    CHECK(refused.find('\n') == std::string::npos);
    CHECK(processes_with(scratch.path()).empty());
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
        CHECK(entry.path().filename().string().rfind("mediarig-lab-", 0) != 0);
}

TEST_CASE("preflight: a machine that was not started refuses every request") {
    agent::ClientHarness talk;
    const auto machine = make_qemu_machine(talk.io.get_executor());
    constexpr const char* why = "the virtual machine has not been started";
    CHECK(reason(talk.ask(machine->plug(SlotId{1}, {}))) == why);
    CHECK(reason(talk.ask(machine->unplug(SlotId{1}))) == why);
    CHECK(reason(talk.ask(machine->throttle(SlotId{1}, {}))) == why);
    CHECK(reason(talk.ask(machine->inject_errors(SlotId{1}, {}))) == why);
    CHECK(reason(talk.ask(machine->diagnose("true", seconds(1)))) == why);
    const auto link = machine->agent_link();
    CHECK(reason(talk.ask(link->start())) == why);
    CHECK(reason(talk.ask(machine->stop())) == "success");
    CHECK(!machine->matches(SlotId{1}, {}));
    CHECK(!machine->failure());
}

TEST_CASE("guest shell: a request is one line and only its own answer is accepted") {
    CHECK(shell_request("7f", "echo hi\nls") == "7f ZWNobyBoaQpscw==\n");
    const auto answer = shell_answer("7f", "7f 3 aGkK");
    REQUIRE(answer);
    REQUIRE(reason(*answer) == "success");
    CHECK((*answer)->exit_status == 3);
    CHECK((*answer)->output == "hi\n");
    const auto silent = shell_answer("7f", "7f 0 ");
    REQUIRE(silent);
    CHECK((*silent)->output.empty());
    // These lines belong to an earlier controller or are incomplete.
    for (const char* line : {"7e 0 aGkK", "7", "", "aGkK", "7ff 0 aGkK"}) CHECK(!shell_answer("7f", line));
    for (const char* line : {"7f x aGkK", "7f 0 %%%%", "7f", "7f 0x aGkK"}) {
        const auto broken = shell_answer("7f", line);
        if (broken) CHECK_THAT(reason(*broken), ContainsSubstring("did not answer with a status and output in base64"));
    }
    CHECK(!(*shell_answer("7f", "7f x aGkK")).has_value());
}

} // namespace mediarig::lab
