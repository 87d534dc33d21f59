// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/process/process_link.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_media_backend.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using namespace std::chrono_literals;

namespace {

struct Process {
    ClientHarness talk;
    AgentClient client;

    explicit Process(std::vector<std::string> argv, ProcessTimeouts patience = {})
        : client(make_process_link(talk.io.get_executor(), {std::move(argv), "test"}, patience)) {}

    static std::vector<std::string> fake_agent(std::vector<std::string> words = {}) {
        words.insert(words.begin(), FAKE_AGENT);
        return words;
    }
};

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

} // namespace

TEST_CASE("process: an agent starts, answers a request and exits on close") {
    const std::size_t before = open_descriptors();
    {
        Process agent(Process::fake_agent());
        const auto hello = agent.talk.ask(agent.client.hello("test"));
        REQUIRE(hello);
        const pid_t pid = std::stoi(hello->host_name);
        // Ctrl-C on the controller's terminal must not reach the agent before the controller has shut down.
        CHECK(::getpgid(pid) == pid);
        CHECK(agent.talk.ask(agent.client.devices())->size() == 1);
        CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
        CHECK(::kill(pid, 0) == -1);
        CHECK(agent.talk.ask(agent.client.devices()).error().code == Errc::agent_lost);
        CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
        CHECK(agent.client.description() == "test");
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("process: an agent that refuses to start gives the error refused with its reason") {
    Process agent({"sh", "-c", "echo 'mediarig-agent: SUDO_UID=61099 is not in the user database' >&2; exit 4"});
    const auto hello = agent.talk.ask(agent.client.hello("test"));
    REQUIRE_FALSE(hello);
    CHECK(hello.error() == Error{Errc::refused, "mediarig-agent: SUDO_UID=61099 is not in the user database"});
}

TEST_CASE("process: if the agent is killed during any method, that call and every later call fail at once") {
    const workload::JobSpec job = fake_sweep(1);
    const std::string killed = "the agent ended with signal 9 (Killed): ";
    for (const std::string call : {"describe", "devices", "identify", "inspect", "claim", "discard", "format", "mount",
                                   "wait_idle", "run", "check", "unmount", "release"}) {
        CAPTURE(call);
        // `inspect` of the fake begins with `identify`.
        Process agent(Process::fake_agent({"die-in", call == "inspect" ? "identify" : call}));
        AgentClient& client = agent.client;
        const auto lost = [&](const auto& result) {
            REQUIRE_FALSE(result.has_value());
            CHECK(result.error().code == Errc::agent_lost);
            CHECK_THAT(result.error().detail, ContainsSubstring("the agent ended with signal 9 (Killed)"));
        };
        const auto hello = agent.talk.ask(client.hello("test"));
        if (call == "describe") {
            lost(hello);
            continue;
        }
        REQUIRE(hello);
        const auto prepare = [&] {
            REQUIRE(agent.talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"})));
            if (call == "run" || call == "unmount" || call == "wait_idle")
                REQUIRE(agent.talk.ask(client.mount({1}, media::FileSystem::exfat)));
        };
        if (call == "devices") lost(agent.talk.ask(client.devices()));
        if (call == "identify") lost(agent.talk.ask(client.identify("/dev/sdx")));
        if (call == "inspect") lost(agent.talk.ask(client.inspect("/dev/sdx")));
        if (call == "claim") lost(agent.talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"})));
        if (call == "discard" || call == "format" || call == "mount" || call == "check" || call == "release" ||
            call == "run" || call == "unmount" || call == "wait_idle")
            prepare();
        if (call == "discard") lost(agent.talk.ask(client.discard({1})));
        if (call == "format") lost(agent.talk.ask(client.format({1}, {})));
        if (call == "mount") lost(agent.talk.ask(client.mount({1}, media::FileSystem::exfat)));
        if (call == "wait_idle") lost(agent.talk.ask(client.wait_idle({1})));
        if (call == "run") lost(agent.talk.ask(client.run(RunTarget::mounted({1}), job, {}, {})));
        if (call == "check") lost(agent.talk.ask(client.check({1}, media::FileSystem::exfat)));
        if (call == "unmount") lost(agent.talk.ask(client.unmount({1})));
        if (call == "release") lost(agent.talk.ask(client.release({1})));
        lost(agent.talk.ask(client.devices()));
        CHECK(agent.talk.ask(client.close()).error().code == Errc::agent_lost);
    }
}

TEST_CASE("process: if the agent is killed from outside, all overlapping calls fail") {
    Process agent(Process::fake_agent({"hold", "claim"}));
    const auto hello = agent.talk.ask(agent.client.hello("test"));
    REQUIRE(hello);
    const auto claiming = agent.talk.begin(agent.client.claim({"/dev/sdx", "S-/dev/sdx"}));
    agent.talk.io.poll();
    // The agent is stopped first, so that it does not answer any more.
    const int process = std::stoi(hello->host_name);
    REQUIRE(::kill(process, SIGSTOP) == 0);
    const auto waiting = agent.talk.begin(agent.client.devices());
    agent.talk.io.poll();
    REQUIRE(::kill(process, SIGKILL) == 0);
    CHECK(agent.talk.finish(claiming).error().code == Errc::agent_lost);
    CHECK(agent.talk.finish(waiting).error().code == Errc::agent_lost);
}

TEST_CASE("process: the error contains the last lines of the agent's standard error") {
    Process agent(Process::fake_agent({"exit", "3", "cannot open the line"}));
    CHECK(agent.talk.ask(agent.client.hello("test")).error() ==
          Error{Errc::agent_lost, "the agent ended with exit status 3: first line | cannot open the line"});
    CHECK(agent.talk.ask(agent.client.close()).error() ==
          Error{Errc::agent_lost, "the agent ended with exit status 3: first line | cannot open the line"});
}

TEST_CASE("process: long output on standard error does not block the agent, and the last lines are kept") {
    Process agent({"/bin/sh", "-c", "seq 1 200000 >&2; exit 5"});
    CHECK(agent.talk.ask(agent.client.hello("test")).error() ==
          Error{Errc::agent_lost, "the agent ended with exit status 5: 199998 | 199999 | 200000"});
}

TEST_CASE("process: the error for a sudo that needs a password names the next step") {
    Process agent({"/bin/sh", "-c", "echo 'sudo: a password is required' >&2; exit 1"});
    CHECK(agent.talk.ask(agent.client.hello("test")).error() ==
          Error{Errc::no_permission, "sudo asks for a password: run 'sudo -v' first, or start mediarig as root"});
}

TEST_CASE("process: a cancelled password dialog and a refused account of pkexec give different errors") {
    const tests::Scratch folder;
    const std::string pkexec = folder.path("pkexec");
    const auto refuses = [&](int status, const char* said) {
        std::ofstream(pkexec) << "#!/bin/sh\necho '" << said << "' >&2\nexit " << status << '\n';
        std::filesystem::permissions(pkexec, std::filesystem::perms::owner_all);
        Process agent({pkexec, "mediarig-agent", "--stdio"});
        return agent.talk.ask(agent.client.hello("test")).error();
    };
    CHECK(refuses(126, "Error executing command as another user: Request dismissed") ==
          Error{Errc::no_permission,
                "the password dialog was closed: no job was started; repeat the request to open it again"});
    const Error unauthorized = refuses(127, "Error executing command as another user: Not authorized");
    CHECK(unauthorized.code == Errc::no_permission);
    CHECK(unauthorized.detail.starts_with("polkit does not let this user start the agent as root"));
    CHECK(unauthorized.detail.ends_with("Not authorized"));
    // An exit status of the agent must not be interpreted as a status of pkexec.
    CHECK(refuses(3, "cannot open the line").code == Errc::agent_lost);
}

TEST_CASE("process: a file that is not executable cannot be started") {
    struct Row {
        std::vector<std::string> argv;
        Error error;
    };
    const Row rows[] = {
        {{"/nowhere/mediarig-agent"},
         {Errc::bad_request, "cannot start the agent /nowhere/mediarig-agent: No such file or directory"}},
        {{"/etc/passwd"}, {Errc::no_permission, "cannot start the agent /etc/passwd: Permission denied"}},
        {{}, {Errc::bad_request, "cannot start the agent: the command is empty"}},
    };
    for (const Row& row : rows) {
        Process agent(row.argv);
        CHECK(agent.talk.ask(agent.client.hello("test")).error() == row.error);
        CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
    }
}

TEST_CASE("process: close kills an agent that does not exit") {
    // Both scripts ignore the end of their input; the second script also ignores SIGTERM, which exec preserves.
    for (const char* script : {"exec sleep 1000", "trap '' TERM; exec sleep 1000"}) {
        Process agent({"/bin/sh", "-c", script}, {.release = 20ms, .terminate = 200ms});
        CHECK(agent.talk.ask(agent.client.hello("test", 1ms)).error().code == Errc::timed_out);
        CHECK(agent.talk.ask(agent.client.close()).error() ==
              Error{Errc::timed_out, "the agent did not close its end of the connection in time"});
    }
}

TEST_CASE("process: expedite_close continues a stopped agent, which releases everything") {
    Process agent(Process::fake_agent());
    const auto hello = agent.talk.ask(agent.client.hello("test"));
    REQUIRE(hello);
    REQUIRE(agent.talk.ask(agent.client.claim({"/dev/sdx", "S-/dev/sdx"})));
    REQUIRE(::kill(std::stoi(hello->host_name), SIGSTOP) == 0);
    agent.client.expedite_close();
    CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
}

TEST_CASE("process: expedite_close kills an agent that exceeds the timeout") {
    const auto number = std::filesystem::temp_directory_path() / ("mediarig-slow-" + std::to_string(::getpid()));
    ClientHarness talk;
    const auto link = make_process_link(
        talk.io.get_executor(),
        {{"/bin/sh", "-c", "echo $$ > " + number.string() + "; trap '' TERM; echo welcome; exec sleep 1000"}, "test"},
        {.unattended = 300ms});
    REQUIRE(talk.ask(link->start()));
    const auto asked = talk.begin(link->call({1}, "devices", nlohmann::json::object()));
    // The output of the script breaks the protocol: the process is running then, and the pending call ends.
    CHECK_FALSE(talk.finish(asked));
    pid_t left{};
    std::ifstream(number) >> left;
    std::filesystem::remove(number);
    REQUIRE(left > 1);
    link->expedite_close();
    const auto begun = std::chrono::steady_clock::now();
    CHECK(talk.ask(link->close()).error().detail ==
          "the agent is still releasing the media; it is killed if this takes too long");
    CHECK(std::chrono::steady_clock::now() - begun < 1s);
    int status{};
    REQUIRE(::waitpid(left, &status, 0) == left);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
}

TEST_CASE("process: another process that holds standard error open does not delay close") {
    const auto number = std::filesystem::temp_directory_path() / ("mediarig-left-" + std::to_string(::getpid()));
    Process agent({"/bin/sh", "-c", "sleep 1000 & echo $! > " + number.string() + "; exec sleep 1000"},
                  {.release = 20ms, .terminate = 200ms});
    CHECK_FALSE(agent.talk.ask(agent.client.hello("test", 100ms)));
    const auto closed = agent.talk.ask(agent.client.close());
    REQUIRE_FALSE(closed);
    // All started operations end. If close waited for the end of standard error, it would wait for `sleep`.
    agent.talk.io.restart();
    agent.talk.io.run_for(60s);
    CHECK(agent.talk.io.stopped());
    pid_t left{};
    std::ifstream(number) >> left;
    std::filesystem::remove(number);
    REQUIRE(left > 1);
    CHECK(::kill(left, SIGKILL) == 0);
}

TEST_CASE("process: each kind of connection has its command line: local, sudo and other wrappers") {
    CHECK(local_agent("/a/mediarig-agent").argv == std::vector<std::string>{"/a/mediarig-agent", "--stdio"});
    CHECK(sudo_agent("/a/mediarig-agent").argv ==
          std::vector<std::string>{"sudo", "-n", "--", "/a/mediarig-agent", "--stdio"});
    const AgentCommand remote = agent_through({"ssh", "pi"}, "mediarig-agent");
    CHECK(remote.argv == std::vector<std::string>{"ssh", "pi", "mediarig-agent", "--stdio"});
    CHECK(remote.description == "ssh");
    CHECK(agent_through({}, "x").description == "local");
}

TEST_CASE("process: an agent works through a wrapper command") {
    AgentCommand command = agent_through({"env", "LC_ALL=C"}, FAKE_AGENT);
    Process agent(command.argv);
    REQUIRE(agent.talk.ask(agent.client.hello("test")));
    CHECK(reason(agent.talk.ask(agent.client.close())) == "success");
}

TEST_CASE("process: the agent program is searched next to the running program and in PATH") {
    const char* path = std::getenv("PATH");
    const std::string kept = path != nullptr ? path : "";
    const tests::Scratch folder;
    const std::string program = folder.write("mediarig-agent", "#!/bin/sh\n");
    ::setenv("PATH", ("::/nowhere:" + folder.path().string()).c_str(), 1);

    // The file is not executable yet.
    const auto missing = find_agent_program();
    ::chmod(program.c_str(), 0755);
    const auto found = find_agent_program();
    ::setenv("PATH", kept.c_str(), 1);

    REQUIRE_FALSE(missing);
    const std::string beside =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mediarig-agent").string();
    CHECK(missing.error() == Error{Errc::no_driver, "mediarig-agent is neither at " + beside +
                                                        " nor in PATH: build it, or install the "
                                                        "package mediarig-agent"});
    CHECK(found == program);
}
