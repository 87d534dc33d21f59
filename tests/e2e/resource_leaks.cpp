// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/resource_leaks.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/e2e/program.hpp"

namespace mediarig::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Process {
    pid_t number{};
    pid_t parent{};
    std::string program; ///< last part of the path of the program
    std::string words;
};

std::vector<Process> processes() {
    std::vector<Process> all;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        Process one;
        if (std::from_chars(name.data(), name.data() + name.size(), one.number).ec != std::errc()) continue;
        // E.g. "7 (a name) S 1 …"; the name may contain any character.
        const std::string stat = read_file(entry.path() / "stat");
        const auto after = stat.rfind(')');
        if (after == std::string::npos) continue;
        char state = 0;
        std::istringstream(stat.substr(after + 1)) >> state >> one.parent;
        if (state == 'Z') continue;
        one.words = read_file(entry.path() / "cmdline");
        one.program = fs::path(one.words.substr(0, one.words.find('\0'))).filename();
        all.push_back(std::move(one));
    }
    return all;
}

} // namespace

std::vector<pid_t> children_of(pid_t parent, const std::string& program) {
    std::vector<pid_t> found;
    for (const Process& each : processes())
        if (each.parent == parent && each.program == program) found.push_back(each.number);
    return found;
}

bool is_running(pid_t process) {
    const auto all = processes();
    return std::any_of(all.begin(), all.end(), [&](const Process& each) { return each.number == process; });
}

void ResourceLeaks::inspect_process(pid_t controller) {
    for (const pid_t agent : children_of(controller, "mediarig-agent")) agents_.insert(agent);
}

std::vector<std::string> ResourceLeaks::list() const {
    std::vector<std::string> lines = left_behind(folder_);
    for (const Process& each : processes())
        for (const pid_t agent : agents_)
            if (each.words.find("/run/mediarig-" + std::to_string(agent) + "-") != std::string::npos)
                lines.push_back("process " + std::to_string(each.number) + ": " + each.program);
    for (const auto& entry : fs::directory_iterator("/run"))
        for (const pid_t agent : agents_)
            if (entry.path().filename().string().starts_with("mediarig-" + std::to_string(agent) + "-"))
                lines.push_back("folder " + entry.path().string());
    for (const auto& entry : fs::directory_iterator(folder_))
        if (entry.path().extension() == ".lock" && entry.path().stem().extension() != ".db")
            lines.push_back("lock file " + entry.path().string());
    return lines;
}

std::chrono::milliseconds ResourceLeaks::wait_until_gone(std::chrono::seconds within) const {
    const auto begun = std::chrono::steady_clock::now();
    const auto passed = [&] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
    };
    while (!list().empty() && passed() < within) std::this_thread::sleep_for(10ms);
    return passed();
}

} // namespace mediarig::e2e
