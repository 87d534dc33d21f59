// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/machine.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <thread>

#include "host/base/process/run_process.hpp"

namespace mediarig::agent {
namespace {

struct Tool {
    const char* program;
    const char* version_option;
};
constexpr Tool tools[] = {
    {"mkfs.exfat", "-V"}, {"fsck.exfat", "-V"},   {"mount.exfat-fuse", "-V"}, {"mkapfs", "-v"},
    {"apfsck", "-v"},     {"mkfs.fat", "--help"}, {"sfdisk", "--version"},    {"smartctl", "--version"},
};

std::string contents_of(const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The trimmed text after "key:" on its line; empty if no line begins with the key.
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::size_t first = line.find_first_not_of(" \t", colon + 1);
        return first == std::string::npos ? std::string() : line.substr(first);
    }
    return std::nullopt;
}

/// Some tools exit with an error status, and some print to standard error: use only the output.
std::optional<std::string> installed_version(const Tool& tool) {
    const auto finished =
        process::run_process({.program = tool.program,
                              .arguments = {tool.version_option},
                              .time_limit = std::chrono::seconds(5),
                              .sandbox = process::Sandbox{.capabilities = 0, .only_inherited_files = true}});
    if (!finished) return std::nullopt;
    return version_in(finished->out + " " + finished->err).value_or("unknown");
}

} // namespace

std::string cpu_of(std::string_view cpuinfo) {
    return value_of(cpuinfo, "model name").value_or("");
}

bool has_sys_admin(std::string_view status) {
    constexpr unsigned cap_sys_admin = 21;
    const std::string digits = value_of(status, "CapEff").value_or("");
    std::uint64_t capabilities = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), capabilities, 16);
    return (capabilities >> cap_sys_admin & 1) != 0;
}

std::optional<std::string> version_in(std::string_view words) {
    std::istringstream stream{std::string(words)};
    for (std::string word; stream >> word;) {
        const std::size_t dot = word.find('.');
        if (dot != std::string::npos && dot > 0 && word.find_first_not_of("0123456789") == dot &&
            dot + 1 < word.size() && word[dot + 1] >= '0' && word[dot + 1] <= '9')
            return word;
    }
    return std::nullopt;
}

HelloReport describe_machine(bool may_mount) {
    HelloReport report;
    utsname names{};
    if (::uname(&names) == 0) {
        report.host_name = names.nodename;
        report.kernel = std::string(names.sysname) + " " + names.release;
    }
    report.processors = std::max(std::thread::hardware_concurrency(), 1U);
    report.cpu = cpu_of(contents_of("/proc/cpuinfo"));
    report.privileged = may_mount && has_sys_admin(contents_of("/proc/self/status"));
    for (const Tool& tool : tools) report.tools[tool.program] = installed_version(tool);
    return report;
}

std::jthread end_stuck_driver(const workload::JobTarget& target, const workload::JobControl& control) {
    using namespace std::chrono_literals;
    if (!target.end_driver) return {};
    return std::jthread([end = target.end_driver, &control](const std::stop_token& over) {
        constexpr auto between_looks = 100ms;
        constexpr auto patience = 500ms;
        std::mutex mutex;
        std::condition_variable_any job_over;
        std::unique_lock lock(mutex);
        const auto wait = [&](std::chrono::milliseconds time) {
            return job_over.wait_for(lock, over, time, [&] { return over.stop_requested(); });
        };
        while (!control.cancel)
            if (wait(between_looks)) return;
        if (!wait(patience)) end();
    });
}

} // namespace mediarig::agent
