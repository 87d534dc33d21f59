// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads from the kernel the rights that the agent has after its start.
#include "host/agent/linux/hardening.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::agent;

namespace {

const process::Caller root{};
const process::Caller guest{.user = 61001, .group = 61002, .groups = {61002}, .name = "guest"};

/// Runs `body` in a child process that has dropped its unneeded rights, because dropping is permanent.
template <class Body>
int hardened(const process::Caller& caller, const Body& body) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        const auto given_up = drop_privileges(caller);
        ::_exit(given_up ? body() : 99);
    }
    int status = 0;
    if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

std::uint64_t set_of(const std::string& name) {
    std::ifstream file("/proc/thread-self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1), nullptr, 16);
    return ~0ULL;
}

std::uint64_t kept_for(const process::Caller& caller) {
    std::uint64_t kept = 0;
    for (const KeptCapability& each : kept_capabilities())
        if (caller.is_root() || !each.for_root_alone) kept |= process::capability(each.number);
    return kept;
}

} // namespace

TEST_CASE("the documentation lists every kept capability") {
    const std::string text = tests::text_of(MEDIARIG_SOURCE_DIR "/docs/reference/safety.md");
    for (const KeptCapability& each : kept_capabilities())
        CHECK_THAT(text, ContainsSubstring("`" + std::string(each.name) + "`"));
}

TEST_CASE("the agent keeps exactly the capabilities of its table of rights, in every set and thread") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const std::uint64_t before = set_of("CapPrm");
    for (const process::Caller& caller : {root, guest}) {
        const std::uint64_t kept = kept_for(caller) & before;
        CHECK(hardened(caller, [&] {
                  bool same = false;
                  std::thread([&] {
                      same = set_of("CapPrm") == kept && set_of("CapEff") == kept && set_of("CapInh") == 0 &&
                             set_of("CapAmb") == 0 && set_of("CapBnd") == kept && set_of("NoNewPrivs") == 1;
                  }).join();
                  return same ? 0 : 1;
              }) == 0);
    }
}

TEST_CASE("an agent that works for a user cannot write files against their permissions") {
    const auto bit = process::capability(CAP_DAC_OVERRIDE);
    CHECK((kept_for(guest) & bit) == 0);
    CHECK((kept_for(root) & bit) != 0);
    for (const int never : {CAP_SYS_MODULE, CAP_SYS_BOOT, CAP_SYS_TIME, CAP_MKNOD, CAP_CHOWN, CAP_FOWNER, CAP_SETPCAP,
                            CAP_SETFCAP, CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF, CAP_PERFMON})
        CHECK((kept_for(root) & process::capability(never)) == 0);
}

TEST_CASE("after start-up, the agent can take the rights of its caller and then restore its own rights") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    CHECK(hardened(guest, [] {
              for (int i = 0; i < 3; ++i) {
                  const std::uint64_t before = set_of("CapEff");
                  {
                      const auto rights = process::CallerRights::of(guest);
                      if (!rights || set_of("CapEff") != 0 || ::access("/proc/self", F_OK) != 0) return 1;
                      if (::open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0) return 2;
                  }
                  if (set_of("CapEff") != before || ::geteuid() != 0) return 3;
              }
              return 0;
          }) == 0);
}

TEST_CASE("the agent and its child processes cannot make unneeded system calls") {
    CHECK(hardened(guest, [] {
              const auto refused = [](long result) { return result == -1 && errno == EPERM; };
              // Without the filter each of these calls would give another result, also for root: EINVAL, EFAULT, ENOENT
              // or success.
              if (!refused(::syscall(SYS_bpf, 0, nullptr, 0))) return 1;
              if (!refused(::syscall(SYS_keyctl, 0, -3, 0))) return 2;
              if (!refused(::syscall(SYS_reboot, 0, 0, 0, nullptr))) return 3;
              if (!refused(::syscall(SYS_delete_module, "no such module", 0))) return 4;
              if (!refused(::syscall(SYS_swapon, "/nowhere", 0))) return 5;
              if (!refused(::syscall(SYS_process_vm_readv, ::getpid(), nullptr, 0, nullptr, 0, 0))) return 6;
              if (!refused(::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0))) return 7;
              if (!refused(::syscall(SYS_open_by_handle_at, -1, nullptr, 0))) return 8;
              const pid_t child = ::fork();
              if (child == 0) ::_exit(::syscall(SYS_keyctl, 0, -3, 0) == -1 && errno == EPERM ? 0 : 1);
              int status = 1;
              return ::waitpid(child, &status, 0) == child && status == 0 ? 0 : 9;
          }) == 0);
    CHECK(::syscall(SYS_process_vm_readv, ::getpid(), nullptr, 0, nullptr, 0, 0) == 0);
}

TEST_CASE("files of the agent are accessible to their owner only") {
    CHECK(hardened(guest, [] { return ::umask(0) == 077 ? 0 : 1; }) == 0);
}

TEST_CASE("every kept capability and refused system call is listed once") {
    std::set<int> numbers;
    for (const KeptCapability& each : kept_capabilities()) {
        CHECK(numbers.insert(each.number).second);
        CHECK_FALSE(each.reason.empty());
    }
    std::set<std::string_view> calls;
    for (const std::string_view call : refused_system_calls()) CHECK(calls.insert(call).second);
}
