// SPDX-License-Identifier: GPL-3.0-or-later
/// The machine in virtual time without its guest: a program in place of the kernel.
#include "host/lab/virtual/virtual_time_machine.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

/// Starts a machine whose kernel is this shell script.
std::string start_of(const std::string& script, const std::string& media_name = "media") {
    const tests::Scratch folder;
    tests::write(folder / "linux", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder / "linux", std::filesystem::perms::owner_all);
    tests::write(folder / "initrd.img", "archive");
    agent::ClientHarness talk;
    const auto machine = make_virtual_time_machine(talk.io.get_executor());
    MachineSpec spec{.image = {.kernel = folder.path("linux"), .initrd = folder.path("initrd.img")},
                     .slots = {{SlotId{1}, SlotKind::usb}},
                     .memory = 1_MiB};
    spec.media = folder.path(media_name);
    const std::string why = reason(talk.ask(machine->start(std::move(spec))));
    (void)talk.ask(machine->stop());
    return why;
}

} // namespace

TEST_CASE("a folder that the guest cannot mount is refused") {
    CHECK_THAT(start_of("exit 0", "a,b"), ContainsSubstring("a,b: its path contains a comma"));
}

TEST_CASE("a kernel that does not start is explained, with the other machine as the alternative") {
    const std::string forbidden =
        start_of("echo 'check_ptrace : PTRACE_TRACEME failed: Operation not permitted'; exit 1");
    CHECK_THAT(forbidden, ContainsSubstring("user-mode Linux did not start: this system forbids ptrace"));
    CHECK_THAT(forbidden, ContainsSubstring("use the lab's other machine instead"));
    // Output of the real kernel.
    const std::string checked = "echo 'Checking syscall emulation patch for ptrace...OK'; ";
    CHECK_THAT(start_of(checked + "echo 'Checking PROT_EXEC mmap in /t...Operation not permitted'; "
                                  "echo '/t must be not mounted noexec'; exit 1"),
               ContainsSubstring("mounted noexec"));
    CHECK_THAT(start_of(checked + "echo 'Checking if /t is on tmpfs...No such file or directory'; exit 1"),
               ContainsSubstring("does not exist: set TMPDIR to a tmpfs"));
    CHECK_THAT(start_of("echo 'write: No space left on device'; exit 1"), ContainsSubstring("too little space"));
    CHECK_THAT(start_of("exit 1"), ContainsSubstring("it printed nothing"));
}
