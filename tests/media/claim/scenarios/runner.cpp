// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "host/base/process/mount_namespace.hpp"
#include "tests/json.hpp"
#include "tests/media/claim/scenarios/dead_loop.hpp"
#include "tests/scratch.hpp"

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;

/// Switches off swap, which outlives the process that enabled it. Returns true if there was any swap.
bool end_swaps(const std::string& base) {
    const auto ours = loops_below(base);
    bool found = false;
    std::istringstream table(tests::text_of("/proc/swaps"));
    for (std::string line; std::getline(table, line);) {
        const std::string path = line.substr(0, line.find_first_of(" \t"));
        bool is_ours = path.starts_with(base + "/");
        for (const int number : ours) is_ours = is_ours || path == loop_node(number);
        if (is_ours) (void)swap_off(path);
        found = found || is_ours;
    }
    return found;
}

/// Runs until the worker and all its scenarios have ended for any reason, and ends everything that would outlive them.
/// This process is not a descendant of the worker, so that killing the worker's process tree does not affect it.
void leave_guardian(const std::string& base, Descriptor& alive) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const pid_t between = ::fork();
    if (between == 0) {
        if (::fork() != 0) ::_exit(0);
        ::setsid();
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
        ::dup2(ends[0], 0);
        // A program that reads the worker's output must not wait for this process.
        ::close_range(1, ~0U, 0);
        char nothing = 0;
        while (::read(0, &nothing, 1) > 0) {
        }
        // A scenario may still be inside the call that enables swap.
        for (int tries = 0, none = 0; tries < 200 && none < 10; ++tries) {
            none = end_swaps(base) ? 0 : none + 1;
            ::usleep(10'000);
        }
        ::umount2(base.c_str(), MNT_DETACH);
        ::rmdir(base.c_str());
        ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    ::close(ends[0]);
    alive = Descriptor(ends[1]);
}

/// Reads until the other end is closed, for at most two minutes.
std::string read_all(int fd) {
    std::string text;
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < until) {
        pollfd readable{fd, POLLIN, 0};
        if (::poll(&readable, 1, 1000) <= 0) continue;
        std::array<char, 65536> buffer{};
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

void write_all(int fd, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t wrote = ::write(fd, text.data() + at, text.size() - at);
        if (wrote <= 0) return;
        at += static_cast<std::size_t>(wrote);
    }
}

[[noreturn]] void tell_scenario(const BackingFolders& backing_folders, std::uint64_t number,
                                const ScenarioSetting& setting, int report) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_IGN);
    ScenarioResult result;
    try {
        if (const int error = enter_own_namespace(backing_folders.base); error != 0)
            throw std::runtime_error("no mount namespace: " + text_for(error));
        result = setting.play(backing_folders, number, setting);
    } catch (const std::exception& failed) {
        result.obstacle = failed.what();
    }
    write_all(report, to_json(result).dump(-1, ' ', false, json::error_handler_t::replace));
    ::_exit(0);
}

std::string play_in_child(const BackingFolders& backing_folders, std::uint64_t number, const ScenarioSetting& setting) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const pid_t scenario = ::fork();
    if (scenario == 0) {
        ::close(ends[0]);
        tell_scenario(backing_folders, number, setting, ends[1]);
    }
    ::close(ends[1]);
    std::string text = read_all(ends[0]);
    ::close(ends[0]);
    ::kill(scenario, SIGKILL);
    int status = 0;
    ::waitpid(scenario, &status, 0);
    if (text.empty()) {
        ScenarioResult result;
        result.obstacle = WIFSIGNALED(status) ? "the scenario ended by signal " + std::to_string(WTERMSIG(status))
                                              : "the scenario did not come to an end";
        text = to_json(result).dump();
    }
    // A scenario cannot switch off a swap file whose path it has given to another file.
    (void)end_swaps(backing_folders.base);
    std::error_code ignored;
    for (const Backing backing : {Backing::tmpfs, Backing::ext4, Backing::overlay})
        std::filesystem::remove_all(backing_folders.folder_of(backing) + "/" + std::to_string(number), ignored);
    return text;
}

/// Attaching holds a free loop number exclusively for a moment, longer under load: such a holder is another worker's
/// scenario, unknown to this scenario's model.
bool met_a_neighbour(const std::string& text) {
    const ScenarioResult result = scenario_result_from(json::parse(text));
    // A swap area without a name, a loop device at its end or an overlay without an upper folder, made by another
    // process, causes a doubt for media of this process.
    constexpr std::array<const char*, 5> doubts{" is held exclusively", "cannot be traced to a device",
                                                "the range of loop", ", whose upper directory ",
                                                "may be the backing file of loop"};
    std::vector<std::string> reasons = result.wrong_refusals;
    reasons.push_back(result.obstacle);
    return result.wrong_writes.empty() && std::ranges::any_of(reasons, [&](const std::string& why) {
               return std::ranges::any_of(doubts,
                                          [&](const char* doubt) { return why.find(doubt) != std::string::npos; });
           });
}

struct Worker {
    pid_t process{};
    Descriptor reports;
    std::string heard;
};

/// Adds a dead loop device to the machine for all workers; does nothing if exfat-fuse is missing.
std::unique_ptr<DeadLoop> make_dead_loop(const std::string& place) {
    try {
        return std::make_unique<DeadLoop>(place);
    } catch (const std::exception& missing) {
        std::cerr << missing.what() << '\n';
        return nullptr;
    }
}

[[noreturn]] void work(const std::string& base, bool is_first, std::atomic<std::uint64_t>& next, std::uint64_t end,
                       const ScenarioSetting& setting, int reports) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        if (const auto apart = process::enter_private_mount_namespace(); !apart)
            throw std::runtime_error(apart.error().detail);
        const BackingFolders backing_folders = make_backing_folders(base);
        Descriptor alive;
        leave_guardian(base, alive);
        const auto dead_loop = is_first && setting.dead_loop ? make_dead_loop(base + "/dead") : nullptr;
        for (std::uint64_t number = next++; number < end; number = next++) {
            std::string text = play_in_child(backing_folders, number, setting);
            for (int again = 0; again < 3 && met_a_neighbour(text); ++again)
                text = play_in_child(backing_folders, number, setting);
            write_all(reports, std::to_string(number) + " " + text + "\n");
        }
    } catch (const std::exception& failed) {
        std::cerr << "scenarios: " << failed.what() << '\n';
        ::_exit(1);
    }
    ::_exit(0);
}

} // namespace

void play_scenarios(std::uint64_t first, std::uint64_t count, unsigned workers, const ScenarioSetting& setting,
                    const std::function<void(std::uint64_t, const ScenarioResult&)>& heard) {
    void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
    auto& next = *new (shared) std::atomic<std::uint64_t>(first);

    std::vector<Worker> all(workers);
    for (Worker& worker : all) {
        std::string base = "/tmp/mediarig-scenarios-XXXXXX";
        if (::mkdtemp(base.data()) == nullptr) throw std::runtime_error("no folder in /tmp");
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        std::cout.flush();
        worker.process = ::fork();
        if (worker.process == 0) work(base, &worker == &all.front(), next, first + count, setting, ends[1]);
        ::close(ends[1]);
        worker.reports = Descriptor(ends[0]);
    }
    for (std::size_t open = all.size(); open > 0;) {
        std::vector<pollfd> ready;
        for (const Worker& worker : all) ready.push_back({worker.reports.get(), POLLIN, 0});
        ::poll(ready.data(), ready.size(), -1);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (ready[i].revents == 0) continue;
            std::array<char, 65536> buffer{};
            const ssize_t got = ::read(all[i].reports.get(), buffer.data(), buffer.size());
            if (got <= 0) {
                all[i].reports.close();
                --open;
                continue;
            }
            all[i].heard.append(buffer.data(), static_cast<std::size_t>(got));
            for (std::size_t at = 0; (at = all[i].heard.find('\n')) != std::string::npos;
                 all[i].heard.erase(0, at + 1)) {
                const std::string line = all[i].heard.substr(0, at);
                const std::size_t space = line.find(' ');
                heard(std::stoull(line.substr(0, space)), scenario_result_from(json::parse(line.substr(space + 1))));
            }
        }
    }
    for (const Worker& worker : all) ::waitpid(worker.process, nullptr, 0);
    ::munmap(shared, 4096);
}

} // namespace mediarig::claim_scenarios
