// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/run_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::process;
using namespace std::chrono_literals;

namespace {

Command shell(const std::string& script) {
    return {.program = "sh", .arguments = {"-c", script}};
}

/// True once the process has ended; false if it still runs after ten seconds.
bool ends_soon(pid_t pid) {
    for (int tries = 0; tries < 1000; ++tries) {
        if (::kill(pid, 0) != 0) return true;
        ::poll(nullptr, 0, 10);
    }
    return false;
}

} // namespace

TEST_CASE("run_process returns both streams and the exit status") {
    const auto finished = run_process(shell("printf out; printf err >&2; exit 3"));
    REQUIRE(reason(finished) == "success");
    CHECK(finished->out == "out");
    CHECK(finished->err == "err");
    CHECK(finished->exit_status == 3);
    CHECK_FALSE(finished->signal.has_value());
    CHECK_FALSE(finished->succeeded());
    CHECK_FALSE(finished->truncated);
    CHECK(ending_of(*finished) == "exit status 3");
}

TEST_CASE("run_process passes arguments without a shell") {
    const std::string odd = "a b'c\"d$(id)`id`;*\n-end";
    const auto finished = run_process({.program = "printf", .arguments = {"%s|", odd, "", "ü"}});
    REQUIRE(reason(finished) == "success");
    CHECK(finished->out == odd + "||ü|");
}

TEST_CASE("run_process passes the complete input, and no input by default") {
    const std::string long_text(3 << 20, 'x');
    Command command = shell("wc -c");
    command.input = long_text;
    auto finished = run_process(command);
    REQUIRE(reason(finished) == "success");
    CHECK(finished->out == "3145728\n");
    // The program ends without reading its input.
    command = shell("exit 3");
    command.input = long_text;
    finished = run_process(command);
    REQUIRE(reason(finished) == "success");
    CHECK(finished->exit_status == 3);
    finished = run_process(shell("wc -c"));
    REQUIRE(reason(finished) == "success");
    CHECK(finished->out == "0\n");
}

TEST_CASE("run_process reports a missing program as no_driver and names the program") {
    const auto finished = run_process({.program = "no-such-tool", .arguments = {}, .search_path = "/bin:/nowhere"});
    REQUIRE_FALSE(finished);
    CHECK(finished.error() == Error{Errc::no_driver, "there is no program no-such-tool in /bin:/nowhere"});
    CHECK(reason(run_process({.program = "/etc/passwd", .arguments = {}})) == "there is no program /etc/passwd");
    CHECK(reason(find_program("tmp", "/")) == "there is no program tmp in /");
}

TEST_CASE("run_process reports a program that cannot be loaded as an error") {
    std::string path = "/tmp/mediarig-process-XXXXXX";
    const int fd = ::mkstemp(path.data());
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd,
                    "\x7f"
                    "ELF",
                    4) == 4);
    ::fchmod(fd, 0700);
    ::close(fd);
    const auto finished = run_process({.program = path, .arguments = {}});
    ::unlink(path.c_str());
    REQUIRE_FALSE(finished);
    CHECK(finished.error() == Error{Errc::io_failed, "cannot start " + path + ": Exec format error"});
}

TEST_CASE("run_process reports the signal that ended the program") {
    const auto finished = run_process(shell("kill -SEGV $$"));
    REQUIRE(reason(finished) == "success");
    CHECK(finished->signal == SIGSEGV);
    CHECK(ending_of(*finished) == "signal 11");
}

TEST_CASE("run_process drops output beyond the limit and lets the program finish") {
    auto command = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2");
    command.output_limit = 1000_B;
    const auto finished = run_process(command);
    REQUIRE(reason(finished) == "success");
    CHECK(finished->succeeded());
    CHECK(finished->out.size() == 1000);
    CHECK(finished->err.size() == 1000);
    CHECK(finished->truncated);
}

TEST_CASE("run_process kills a program and its children at the time limit") {
    auto command = shell("sleep 600 & echo $!; wait");
    command.time_limit = 300ms;
    const auto finished = run_process(command);
    REQUIRE_FALSE(finished);
    CHECK(finished.error() == Error{Errc::timed_out, "sh did not end within 300 ms"});
}

TEST_CASE("run_process kills a program that ignores SIGTERM") {
    auto command = shell("trap '' TERM; while :; do sleep 0.05; done");
    command.time_limit = 100ms;
    const auto finished = run_process(command);
    REQUIRE_FALSE(finished);
    CHECK(finished.error().code == Errc::timed_out);
}

TEST_CASE("a cancel flag set by another thread ends a running program") {
    std::array<int, 2> started{};
    REQUIRE(::pipe2(started.data(), O_CLOEXEC) == 0);
    std::atomic<bool> cancel{false};
    std::thread canceller([&] {
        pid_t pid{};
        std::array<char, 16> text{};
        if (::read(started[0], text.data(), text.size() - 1) > 0) pid = std::atoi(text.data());
        cancel = true;
        CHECK(pid > 0);
        CHECK(ends_soon(pid));
    });
    auto command = shell("echo $$ >&3; exec sleep 600");
    command.inherit = {{.ours = started[1], .childs = 3}};
    command.cancel = &cancel;
    const auto finished = run_process(command);
    canceller.join();
    ::close(started[0]);
    ::close(started[1]);
    REQUIRE_FALSE(finished);
    CHECK(finished.error() == Error{Errc::cancelled, "sh was cancelled"});
    CHECK(reason(run_process(command)) == "sh was not started: cancelled");
}

TEST_CASE("the child inherits exactly the given descriptors under the given numbers") {
    std::array<int, 2> first{}, second{};
    REQUIRE(::pipe(first.data()) == 0); // not close-on-exec, like a descriptor that a library opened without O_CLOEXEC
    REQUIRE(::pipe(second.data()) == 0);
    auto command = shell("printf one >&3; printf two >&4");
    // Swapped on purpose: each descriptor has the number that the other one must get in the child.
    REQUIRE(::dup2(second[1], 24) == 24);
    REQUIRE(::dup2(first[1], 23) == 23);
    command.inherit = {{.ours = 24, .childs = 3}, {.ours = 23, .childs = 4}};
    const auto finished = run_process(command);
    REQUIRE(reason(finished) == "success");
    std::array<char, 4> text{};
    CHECK(::read(second[0], text.data(), 3) == 3);
    CHECK(std::string(text.data()) == "one");
    CHECK(::read(first[0], text.data(), 3) == 3);
    CHECK(std::string(text.data()) == "two");
    // Expected: the three streams of ls, the two inherited descriptors, and the folder that ls reads.
    const auto listed =
        run_process({.program = "ls", .arguments = {"-m", "/proc/self/fd"}, .inherit = command.inherit});
    REQUIRE(reason(listed) == "success");
    CHECK(listed->out == "0, 1, 2, 3, 4, 5\n");
    for (const int fd : {first[0], first[1], second[0], second[1], 23, 24}) ::close(fd);

    command.inherit = {{.ours = 24, .childs = 3}};
    CHECK(reason(run_process(command)) == "cannot hand descriptor 24 to sh: Bad file descriptor");
    command.inherit = {{.ours = 0, .childs = 2}};
    CHECK(reason(run_process(command)) ==
          "descriptors 0 to 2 of a child process are reserved for its standard streams");
}

TEST_CASE("the environment of the child is the search path and a UTF-8 locale") {
    ::setenv("MEDIARIG_TEST_SECRET", "x", 1);
    const auto finished = run_process({.program = "env", .arguments = {}, .search_path = "/usr/bin:/bin"});
    REQUIRE(reason(finished) == "success");
    CHECK(finished->out == "PATH=/usr/bin:/bin\nLC_ALL=C.UTF-8\n");
}

TEST_CASE("a daemon that keeps its parent's output open does not block run_process") {
    std::array<int, 2> life{};
    REQUIRE(::pipe2(life.data(), O_CLOEXEC) == 0);
    auto command = shell("setsid sleep 600 & echo $!");
    command.inherit = {{.ours = life[1], .childs = 3}};
    command.time_limit = 60s;
    const auto finished = run_process(command);
    ::close(life[1]);
    REQUIRE(reason(finished) == "success");
    const pid_t daemon = std::atoi(finished->out.c_str());
    REQUIRE(daemon > 0);
    ::kill(daemon, SIGKILL);
    // The pipe that the daemon inherited reports the end of the daemon.
    pollfd ended{life[0], 0, 0};
    CHECK(::poll(&ended, 1, 10'000) == 1);
    CHECK((ended.revents & POLLHUP) != 0);
    ::close(life[0]);
}

TEST_CASE("a program is killed with the process that started it") {
    for (const bool in_sandbox : {false, true}) {
        CAPTURE(in_sandbox);
        std::array<int, 2> life{};
        REQUIRE(::pipe2(life.data(), O_CLOEXEC) == 0);
        const pid_t starter = ::fork();
        REQUIRE(starter >= 0);
        if (starter == 0) {
            Command command{.program = "sleep", .arguments = {"600"}, .inherit = {{.ours = life[1], .childs = 3}}};
            if (in_sandbox) command.sandbox = Sandbox{};
            (void)run_process(command);
            ::_exit(1);
        }
        ::close(life[1]);
        const std::string children = "/proc/" + std::to_string(starter) + "/task";
        // Wait until the program runs.
        const auto is_sleeping = [&] {
            const auto found = run_process(shell("cat " + children + "/*/children"));
            return found && !found->out.empty();
        };
        for (int tries = 0; tries < 500 && !is_sleeping(); ++tries) ::poll(nullptr, 0, 10);
        CHECK(is_sleeping());
        REQUIRE(::kill(starter, SIGKILL) == 0);
        REQUIRE(::waitpid(starter, nullptr, 0) == starter);
        pollfd end{.fd = life[0], .events = POLLIN, .revents = 0};
        CHECK(::poll(&end, 1, 10'000) == 1);
        CHECK((end.revents & POLLHUP) != 0);
        ::close(life[0]);
    }
}

TEST_CASE("a child does not ignore a signal that this process ignores") {
    ::signal(SIGPIPE, SIG_IGN);
    const auto finished = run_process(shell("kill -PIPE $$; echo survived"));
    ::signal(SIGPIPE, SIG_DFL);
    REQUIRE(reason(finished) == "success");
    CHECK(finished->signal == SIGPIPE);
}

TEST_CASE("first_words() prefers standard error to standard output") {
    CHECK(first_words({.out = "out\n", .err = "\n  bad label \nmore"}) == "bad label");
    CHECK(first_words({.out = "version 1\n", .err = " \n"}) == "version 1");
    CHECK(first_words({}) == "");
}
