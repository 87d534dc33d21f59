// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the real agent on an image file: checks its results, and that it leaves nothing behind.
#include <fcntl.h>
#include <termios.h>
#include <algorithm>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/process/process_link.hpp"
#include "host/base/process/run_process.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/agent/scratch_image.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using namespace std::chrono_literals;

namespace {

workload::JobSpec tiny_job(std::chrono::seconds time_limit = 60s) {
    workload::SweepJob sweep;
    sweep.span = 1_MiB;
    for (const auto access : {workload::Access::sequential_write, workload::Access::random_read}) {
        workload::CellSpec cell;
        cell.id = access == workload::Access::sequential_write ? "tiny.seq_write.4096" : "tiny.random_read.4096";
        cell.table = "standard";
        cell.access = access;
        cell.block = 4_KiB;
        cell.volume = 256_KiB;
        cell.time_limit = time_limit;
        sweep.cells.push_back(cell);
    }
    workload::JobSpec job;
    job.suite = "tiny";
    job.kind = sweep;
    job.keep_raw_log = true;
    return job;
}

/// Writes over the name of the file system in the boot sector.
void write_into(const std::string& image, const std::string& name) {
    const int file = ::open(image.c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    REQUIRE(::pwrite(file, name.data(), name.size(), 3) == static_cast<ssize_t>(name.size()));
    REQUIRE(::fsync(file) == 0);
    ::close(file);
}

/// A job that writes far more than the test waits for, so that the test must cancel the job.
workload::JobSpec endless_job() {
    workload::JobSpec job = tiny_job();
    job.as<workload::SweepJob>()->cells.resize(1);
    job.as<workload::SweepJob>()->cells[0].volume = Bytes{std::uint64_t{1} << 40};
    job.as<workload::SweepJob>()->cells[0].time_limit = 3600s;
    job.keep_raw_log = false;
    return job;
}

struct Agent {
    ClientHarness talk;
    AgentClient client{make_process_link(talk.io.get_executor(), local_agent(MEDIARIG_AGENT))};
    pid_t pid{};

    /// Sends hello and finds the process id of the agent: the only child with that program.
    HelloReport greet() {
        const auto hello = talk.ask(client.hello("real_agent_test"));
        REQUIRE(reason(hello) == "success");
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            const std::string name = entry.path().filename();
            if (name.find_first_not_of("0123456789") != std::string::npos) continue;
            std::ifstream status(entry.path() / "status");
            bool ours = false;
            for (std::string line; std::getline(status, line);)
                ours = ours || line == "PPid:\t" + std::to_string(::getpid());
            std::error_code gone;
            if (ours && std::filesystem::read_symlink(entry.path() / "exe", gone) == MEDIARIG_AGENT)
                pid = std::stoi(name);
        }
        REQUIRE(pid > 0);
        return *hello;
    }
};

/// Reason why this machine cannot run the tests of this file, else empty.
std::string missing(const HelloReport& hello) {
    if (!hello.privileged) return "needs root and CAP_SYS_ADMIN for loop devices and mounts";
    if (!std::filesystem::exists("/dev/loop-control")) return "the kernel has no loop devices";
    if (!hello.tools.at("mkfs.exfat")) return "exfatprogs is not installed";
    return {};
}

#define NEEDS_MEDIA(hello) \
    if (const std::string why = missing(hello); !why.empty()) MEDIARIG_SKIP(why)

} // namespace

TEST_CASE("real agent: an image passes identify, claim, format, mount, run, check and release") {
    const ScratchImage image(64ull << 20);
    Agent agent;
    AgentClient& client = agent.client;
    const HelloReport hello = agent.greet();
    CHECK(hello.kernel.starts_with("Linux "));
    NEEDS_MEDIA(hello);

    const auto devices = agent.talk.ask(client.devices());
    REQUIRE(reason(devices) == "success");
    CHECK_FALSE(devices->empty());
    const auto identified = agent.talk.ask(client.identify(image.path()));
    REQUIRE(reason(identified) == "success");
    CHECK(identified->transport == media::Transport::image);
    CHECK(identified->size == 64_MiB);
    CHECK_FALSE(image.attached());
    CHECK(agent.talk.ask(client.claim({image.path(), "somebody-else"})).error().code == Errc::refused);
    CHECK_FALSE(image.attached());

    const auto claimed = agent.talk.ask(client.claim({image.path(), media::confirmation_of(*identified)}));
    REQUIRE(reason(claimed) == "success");
    CHECK(claimed->medium.transport == media::Transport::loop);
    CHECK(image.attached());
    const ClaimId claim = claimed->claim;

    // The system call filter of the agent permits this call.
    const auto discarded = agent.talk.ask(client.discard(claim));
    REQUIRE(reason(discarded) == "success");
    CHECK(discarded->taken == (claimed->medium.queue && claimed->medium.queue->discard_max > 0_B));
    if (discarded->taken) CHECK(discarded->zeros == media::mark_count);
    const auto formatted = agent.talk.ask(client.format(claim, {media::FileSystem::exfat, 32_KiB, "CARD"}));
    REQUIRE(reason(formatted) == "success");
    CHECK(formatted->tool == "mkfs.exfat");
    const auto inspected = agent.talk.ask(client.inspect(claimed->medium.node));
    REQUIRE(reason(inspected) == "success");
    REQUIRE(inspected->volumes.size() == 1);
    CHECK(inspected->volumes[0].file_system == "exfat");

    const auto mounted = agent.talk.ask(client.mount(claim, media::FileSystem::exfat));
    if (!mounted && mounted.error().code == Errc::no_driver) MEDIARIG_SKIP(mounted.error().detail);
    REQUIRE(reason(mounted) == "success");
    CHECK(has_run_folder(agent.pid));
    const auto settled = agent.talk.ask(client.wait_idle(claim));
    REQUIRE(reason(settled) == "success");
    CHECK(settled->counted);
    CHECK(settled->waited >= std::chrono::seconds(1));

    std::vector<std::string> cells;
    RunHandlers handlers;
    handlers.on_cell = [&](const workload::CellResult& cell) {
        cells.push_back(cell.cell.id);
        CHECK(cell.operations == 64);
        CHECK(cell.raw_log.size() == 64);
    };
    const auto ran = agent.talk.ask(client.run(RunTarget::mounted(claim), tiny_job(), {}, handlers));
    REQUIRE(reason(ran) == "success");
    CHECK(cells == std::vector<std::string>{"tiny.seq_write.4096", "tiny.random_read.4096"});
    REQUIRE(reason(agent.talk.ask(client.unmount(claim))) == "success");
    CHECK_FALSE(has_run_folder(agent.pid));
    const auto checked = agent.talk.ask(client.check(claim, media::FileSystem::exfat));
    REQUIRE(reason(checked) == "success");
    CHECK(checked->clean);
    // A raw run destroys the file system.
    CHECK(agent.talk.ask(client.run(RunTarget::raw(claim), tiny_job(), {{.id = "tiny.seq_write.4096"}}, {}))->cells ==
          1);
    REQUIRE(reason(agent.talk.ask(client.release(claim))) == "success");
    CHECK_FALSE(image.attached());
    CHECK(reason(agent.talk.ask(client.close())) == "success");
    CHECK_FALSE(lives(agent.pid));
}

TEST_CASE("real agent: a write by another process below the claimed loop device invalidates the results") {
    const ScratchImage image(64ull << 20);
    Agent agent;
    AgentClient& client = agent.client;
    NEEDS_MEDIA(agent.greet());
    const auto claimed = agent.talk.ask(client.claim({image.path(), image.path()}));
    REQUIRE(reason(claimed) == "success");
    const ClaimId claim = claimed->claim;
    REQUIRE(reason(agent.talk.ask(client.format(claim, {media::FileSystem::exfat, {}, ""}))) == "success");
    // Writes to the file below the loop device, just as a partition's own node would write to its disk.
    write_into(image.path(), "NOTHING!");
    const auto changed = agent.talk.ask(client.inspect(claimed->medium.node));
    REQUIRE(reason(changed) == "success");
    CHECK((changed->volumes.empty() || changed->volumes[0].file_system != "exfat"));
    // Later findings count neither for nor against the medium.
    CHECK(agent.talk.ask(client.check(claim, media::FileSystem::exfat)).error().code == Errc::host_fault);
    write_into(image.path(), "EXFAT   ");
    const auto restored = agent.talk.ask(client.inspect(claimed->medium.node));
    REQUIRE(reason(restored) == "success");
    REQUIRE(restored->volumes.size() == 1);
    CHECK(restored->volumes[0].file_system == "exfat");
}

TEST_CASE("real agent: a formatted volume passes the reference checker") {
    const ScratchImage image(64ull << 20);
    Agent agent;
    NEEDS_MEDIA(agent.greet());
    const auto claimed = agent.talk.ask(agent.client.claim({image.path(), image.path()}));
    REQUIRE(reason(claimed) == "success");
    REQUIRE(reason(agent.talk.ask(agent.client.format(claimed->claim, {media::FileSystem::exfat, {}, ""}))) ==
            "success");
    REQUIRE(reason(agent.talk.ask(agent.client.close())) == "success");
    const auto judged = process::run_process({.program = "fsck.exfat", .arguments = {"-n", image.path()}});
    REQUIRE(reason(judged) == "success");
    CHECK(judged->exit_status == 0);
}

TEST_CASE("real agent: a closed connection in any state leaves no loop device, mount or process") {
    for (const std::string state : {"greeted", "claimed", "formatted", "mounted", "running", "running raw"}) {
        CAPTURE(state);
        const ScratchImage image(64ull << 20);
        Agent agent;
        AgentClient& client = agent.client;
        NEEDS_MEDIA(agent.greet());
        bool progressed = false;
        std::shared_ptr<std::optional<Result<RunReport>>> running;
        if (state != "greeted") REQUIRE(agent.talk.ask(client.claim({image.path(), image.path()})));
        if (state == "formatted" || state == "mounted" || state == "running")
            REQUIRE(agent.talk.ask(client.format({1}, {media::FileSystem::exfat, {}, ""})));
        if (state == "mounted" || state == "running") {
            const auto mounted = agent.talk.ask(client.mount({1}, media::FileSystem::exfat));
            if (!mounted && mounted.error().code == Errc::no_driver) MEDIARIG_SKIP(mounted.error().detail);
            REQUIRE(reason(mounted) == "success");
        }
        if (state.starts_with("running")) {
            const auto target = state == "running" ? RunTarget::mounted({1}) : RunTarget::raw({1});
            RunHandlers handlers;
            handlers.on_progress = [&](const RunProgress&) { progressed = true; };
            running = agent.talk.begin(client.run(target, endless_job(), {}, handlers));
            while (!progressed && !*running) agent.talk.io.run_one();
            REQUIRE(progressed);
        }
        CHECK(reason(agent.talk.ask(client.close())) == "success");
        if (running) CHECK(agent.talk.finish(running).error().code == Errc::agent_lost);
        CHECK_FALSE(lives(agent.pid));
        CHECK_FALSE(image.attached());
        CHECK_FALSE(has_run_folder(agent.pid));
    }
}

TEST_CASE("real agent: SIGTERM, SIGINT and SIGHUP during a run release everything") {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        CAPTURE(number);
        const ScratchImage image(64ull << 20);
        Agent agent;
        NEEDS_MEDIA(agent.greet());
        REQUIRE(agent.talk.ask(agent.client.claim({image.path(), image.path()})));
        bool progressed = false;
        RunHandlers handlers;
        handlers.on_progress = [&](const RunProgress&) { progressed = true; };
        const auto running = agent.talk.begin(agent.client.run(RunTarget::raw({1}), endless_job(), {}, handlers));
        while (!progressed && !*running) agent.talk.io.run_one();
        REQUIRE(progressed);
        REQUIRE(::kill(agent.pid, number) == 0);
        CHECK(agent.talk.finish(running).error().code == Errc::agent_lost);
        CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
        CHECK_FALSE(lives(agent.pid));
        CHECK_FALSE(image.attached());
    }
}

TEST_CASE("real agent: SIGKILL while mounted removes mount and loop device") {
    const ScratchImage image(64ull << 20);
    pid_t killed{};
    {
        Agent agent;
        NEEDS_MEDIA(agent.greet());
        killed = agent.pid;
        REQUIRE(agent.talk.ask(agent.client.claim({image.path(), image.path()})));
        REQUIRE(agent.talk.ask(agent.client.format({1}, {media::FileSystem::exfat, {}, ""})));
        const auto mounted = agent.talk.ask(agent.client.mount({1}, media::FileSystem::exfat));
        if (!mounted && mounted.error().code == Errc::no_driver) MEDIARIG_SKIP(mounted.error().detail);
        const auto running = agent.talk.begin(agent.client.run(RunTarget::mounted({1}), endless_job(), {}, {}));
        agent.talk.io.poll();
        REQUIRE(::kill(agent.pid, SIGKILL) == 0);
        CHECK(agent.talk.finish(running).error().code == Errc::agent_lost);
        CHECK(agent.talk.ask(agent.client.devices()).error().code == Errc::agent_lost);
        CHECK(agent.talk.ask(agent.client.close()).error().code == Errc::agent_lost);
    }
    CHECK(comes_true([&] { return !image.attached(); }));
    // The next agent that mounts a volume removes the empty folder of its mount point.
    Agent next;
    next.greet();
    REQUIRE(next.talk.ask(next.client.claim({image.path(), image.path()})));
    REQUIRE(next.talk.ask(next.client.format({1}, {media::FileSystem::exfat, {}, ""})));
    REQUIRE(next.talk.ask(next.client.mount({1}, media::FileSystem::exfat)));
    CHECK_FALSE(has_run_folder(killed));
    CHECK(reason(next.talk.ask(next.client.close())) == "success");
}

TEST_CASE("real agent: cancel during a run is answered soon, and the claim stays usable") {
    const ScratchImage image(64ull << 20);
    Agent agent;
    NEEDS_MEDIA(agent.greet());
    REQUIRE(agent.talk.ask(agent.client.claim({image.path(), image.path()})));
    bool progressed = false;
    RunHandlers handlers;
    handlers.on_progress = [&](const RunProgress&) { progressed = true; };
    const auto running = agent.talk.begin(agent.client.run(RunTarget::raw({1}), endless_job(), {}, handlers));
    while (!progressed && !*running) agent.talk.io.run_one();
    CHECK(agent.talk.ask(agent.client.cancel()) == true);
    CHECK(agent.talk.finish(running).error().code == Errc::cancelled);
    CHECK(agent.talk.ask(agent.client.run(RunTarget::raw({1}), tiny_job(), {}, {}))->cells == 2);
    CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
    CHECK_FALSE(image.attached());
}

TEST_CASE("real agent: a directory is described and never claimed") {
    Agent agent;
    agent.greet();
    const auto directory = agent.talk.ask(agent.client.identify("/var/../tmp"));
    REQUIRE(reason(directory) == "success");
    CHECK(directory->node == "/tmp");
    CHECK(directory->transport == media::Transport::directory);
    CHECK(directory->size.count > 0);
    CHECK(reason(agent.talk.ask(agent.client.claim({"/tmp", "/tmp"}))) ==
          "/tmp is a directory: name a block device or an image file");
    CHECK(reason(agent.talk.ask(agent.client.inspect("/tmp"))) ==
          "/tmp is a directory: name a block device or an image file");
    CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
}

TEST_CASE("real agent: for a directory on FUSE, the cache of the underlying device is flushed and dropped") {
    const tests::Folder folder;
    tests::make_file(folder.path("disk"), 64_MiB);
    const auto loop = tests::Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    std::string why_not;
    auto served = tests::ServedExfat::on(*loop, folder.path("mnt"), why_not, "-o umask=022");
    if (!served) MEDIARIG_SKIP(why_not);
    Agent agent; // the agent starts after the mount
    agent.greet();
    const auto outcome =
        agent.talk.ask(agent.client.run(RunTarget::directory(folder.path("mnt")), tests::verify_of(8_MiB), {}, {}));
    CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
    REQUIRE(served->unmount());
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->good == 8_MiB);
    const auto detail_of = [&](measure::Severity severity) {
        const auto found = std::ranges::find(outcome->findings, severity, &measure::Finding::severity);
        return found == outcome->findings.end() ? std::string() : found->detail;
    };
    CHECK(outcome->findings.size() == 3);
    CHECK(std::ranges::find(outcome->findings, measure::FindingKind::capacity_unclear, &measure::Finding::kind) !=
          outcome->findings.end());
    CHECK_THAT(detail_of(measure::Severity::note), ContainsSubstring("the page cache of " + loop->node() + ":"));
    CHECK_THAT(detail_of(measure::Severity::warning), ContainsSubstring("speeds are those of this host"));
}

TEST_CASE("real agent: claim refuses a file that is not a medium") {
    Agent agent;
    agent.greet();
    CHECK(agent.talk.ask(agent.client.claim({"/nowhere", "/nowhere"})).error().code == Errc::bad_request);
    CHECK(agent.talk.ask(agent.client.claim({"/dev/null", "/dev/null"})).error().code == Errc::bad_request);
    CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
}

TEST_CASE("real agent: wrong options exit with status 2 and print one line, help and version exit with 0") {
    struct Row {
        std::vector<std::string> options;
        int status;
        const char* says;
    };
    const Row rows[] = {
        {{"--speed"}, 2, "mediarig-agent: The following argument was not expected: --speed"},
        {{"--stdio", "--device", "/dev/null"}, 2, "mediarig-agent: --stdio excludes --device"},
        {{"--device"}, 2, "mediarig-agent: --device"},
        {{"--device", "/nowhere"}, 2, "mediarig-agent: /nowhere: no such device, image or directory"},
        {{"--device", "/etc/passwd"},
         2,
         "mediarig-agent: /etc/passwd cannot be a connection: name a terminal, a serial port"},
        {{"--device", "/"}, 2, "mediarig-agent: / cannot be a connection"},
        {{"--device", "/dev/null"}, 2, "mediarig-agent: /dev/null cannot be a connection"},
        {{"--device", "/dev/loop-control"}, 2, "mediarig-agent: /dev/loop-control cannot be a connection"},
        {{"--device", "/proc/self/fd/0"}, 2, "is a circular link or leads into a process"},
        {{"--log-level", "loud"}, 2, "mediarig-agent: --log-level"},
        {{"--version"}, 0, "mediarig-agent 0."},
        {{"--help"}, 0, "Identifies, claims"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.options);
        const auto ended = process::run_process({.program = MEDIARIG_AGENT, .arguments = row.options});
        REQUIRE(reason(ended) == "success");
        CHECK(ended->exit_status == row.status);
        const std::string said = ended->out + ended->err;
        CHECK_THAT(said, ContainsSubstring(row.says));
        if (row.status != 0) CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    }
}

TEST_CASE("real agent: the agent passes raw bytes on a terminal device as on a pipe") {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(master >= 0);
    REQUIRE(::grantpt(master) == 0);
    REQUIRE(::unlockpt(master) == 0);
    const std::string terminal = ::ptsname(master);

    ClientHarness talk;
    // The process object only starts and ends the agent: the test communicates through the terminal.
    AgentClient waiting(make_process_link(talk.io.get_executor(), {{MEDIARIG_AGENT, "--device", terminal}, "device"}));
    const auto never = talk.begin(waiting.hello("nobody listens", std::chrono::hours(1)));
    talk.io.poll();

    const std::string hello =
        R"({"jsonrpc":"2.0","id":"ü\u0003","method":"hello","params":{"protocol":1,"controller":"x"}})"
        "\n";
    std::string heard;
    // Before raw mode the terminal itself would echo the request.
    REQUIRE(comes_true([&] {
        termios settings{};
        return ::tcgetattr(master, &settings) == 0 && (settings.c_lflag & ICANON) == 0;
    }));
    REQUIRE(::write(master, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size()));
    while (heard.find("\"result\"") == std::string::npos || heard.back() != '\n') {
        char bytes[4096];
        const ssize_t got = ::read(master, bytes, sizeof bytes);
        REQUIRE(got > 0);
        heard.append(bytes, static_cast<std::size_t>(got));
    }
    CHECK_THAT(heard, ContainsSubstring("\"privileged\""));
    // Close the other end of the terminal. The agent exits, because its connection has ended.
    ::close(master);
    CHECK(talk.finish(never).error().code == Errc::agent_lost);
    CHECK(reason(talk.ask(waiting.close())) == "success");
}
