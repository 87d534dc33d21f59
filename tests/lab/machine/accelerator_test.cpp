// SPDX-License-Identifier: GPL-3.0-or-later
// KVM is used only after a successful trial. Test programs replace QEMU.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "host/lab/machine/accelerator.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

std::string program(const tests::Scratch& scratch, const std::string& name, const std::string& body) {
    const std::string path = scratch.path(name);
    std::ofstream(path) << "#!/bin/sh\nfor w; do case $w in file,*) console=${w##*path=};; esac; done\n"
                        << "echo run >> " << scratch.path("runs") << "\n"
                        << body << "\n";
    ::chmod(path.c_str(), 0700);
    return path;
}

std::string runs(const tests::Scratch& scratch) {
    return tests::text_of(scratch / "runs");
}

/// Wraps the result for ClientHarness::ask.
boost::asio::awaitable<Result<Accelerator>> choice(MachineSpec spec, std::string qemu, std::string directory) {
    const Accelerator chosen =
        co_await choose_accelerator(spec, std::move(qemu), std::move(directory), [] { return true; });
    co_return chosen;
}

} // namespace

TEST_CASE("accelerator: KVM is used only after a completed trial boot, which runs once per boot of this computer") {
    if (::access("/dev/kvm", R_OK | W_OK) != 0) MEDIARIG_SKIP("there is no /dev/kvm that this user may use");
    const tests::Scratch scratch;
    ::setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1);
    agent::ClientHarness talk;
    const auto choose = [&](const std::string& qemu, Accelerator wanted = Accelerator::automatic) {
        const auto chosen = talk.ask(choice({.accelerator = wanted}, qemu, scratch.path()));
        return std::string(name_of(*chosen));
    };
    const std::string good =
        program(scratch, "good", "echo 'Kernel panic - not syncing: VFS: Unable to mount root fs' > $console");
    CHECK(choose(good) == "kvm");
    CHECK(choose(good) == "kvm");
    CHECK(runs(scratch) == "run\n");
    CHECK(!std::filesystem::exists(scratch.path("console.log")));

    const std::string silent = program(scratch, "silent", "exit 0");
    CHECK(choose(silent) == "tcg");
    CHECK(choose(silent) == "tcg");
    CHECK(runs(scratch) == "run\nrun\n");
    CHECK(choose(program(scratch, "failing", "echo Kernel panic > $console; exit 1")) == "tcg");
    CHECK(choose(program(scratch, "hanging", "exec tail -f /dev/null mediarig-probe-hangs")) == "tcg");
    CHECK(processes_with("mediarig-probe-hangs").empty());
    // A named accelerator is used without a trial.
    const std::string before = runs(scratch);
    CHECK(choose(good, Accelerator::tcg) == "tcg");
    CHECK(choose(silent, Accelerator::kvm) == "kvm");
    CHECK(runs(scratch) == before);
}

} // namespace mediarig::lab
