// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace mediarig::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Polls, so that the test only takes longer on a slow machine.
bool eventually(const std::function<bool()>& holds, std::chrono::seconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

int status_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

pid_t start(const std::vector<std::string>& words, const fs::path& out, const fs::path& err,
            const std::vector<std::string>& environment) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setpgid(0, 0);
    const int null = ::open("/dev/null", O_RDONLY);
    const int to_out = ::open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int to_err = ::open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(null, 0);
    ::dup2(to_out, 1);
    ::dup2(to_err, 2);
    // The configuration of the user who runs the tests must not affect a test.
    ::setenv("MEDIARIG_CONFIG", "/dev/null", 1);
    for (const std::string& setting : environment) {
        const auto equals = setting.find('=');
        ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    }
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

} // namespace

std::string mediarig_program() {
    return MEDIARIG_PROGRAM;
}

Running::Running(const std::vector<std::string>& arguments, const fs::path& folder,
                 const std::vector<std::string>& environment)
    : out_(folder / "said.out"), err_(folder / "said.err") {
    fs::remove(out_);
    fs::remove(err_);
    std::vector<std::string> words{mediarig_program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    pid_ = start(words, out_, err_, environment);
}

Running::~Running() {
    if (pid_ <= 0 || ended()) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
}

bool Running::ended() {
    if (status_ >= 0) return true;
    int raw = 0;
    if (::waitpid(pid_, &raw, WNOHANG) != pid_) return false;
    status_ = status_of(raw);
    return true;
}

bool Running::says(const std::string& text) {
    bool output = false;
    (void)eventually(
        [&] {
            const bool over = ended();
            output = fs::exists(err_) && read_file(err_).find(text) != std::string::npos;
            return output || over;
        },
        120s);
    return output;
}

void Running::signal(int number) const {
    ::kill(pid_, number);
}

ProgramOutput Running::wait() {
    if (!eventually([&] { return ended(); }, 1800s)) throw std::runtime_error("mediarig did not end in half an hour");
    return {.status = status_,
            .out = fs::exists(out_) ? read_file(out_) : "",
            .err = fs::exists(err_) ? read_file(err_) : ""};
}

ProgramOutput call_mediarig(const std::vector<std::string>& arguments, const fs::path& folder,
                            const std::vector<std::string>& environment) {
    return Running(arguments, folder, environment).wait();
}

ProgramOutput tool(const std::vector<std::string>& words) {
    const Folder folder;
    const pid_t child = start(words, folder / "out", folder / "err", {});
    int raw = 0;
    ::waitpid(child, &raw, 0);
    return {.status = status_of(raw), .out = read_file(folder / "out"), .err = read_file(folder / "err")};
}

void write_file(const fs::path& file, const std::string& text) {
    tests::write(file, text);
}

std::string grades_in(const std::string& output) {
    std::string grades;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t name = line.find(": ");
        // A medium's name is one word, and so is its grade.
        if (name == std::string::npos || line.find(' ') < name) continue;
        grades += line.substr(0, line.find(':', name + 1)) + '\n';
    }
    return grades;
}

std::string read_file(const fs::path& file) {
    return tests::text_of(file);
}

void make_image(const fs::path& file, std::uint64_t bytes) {
    write_file(file, "");
    fs::resize_file(file, bytes);
}

bool is_plain_chroot() {
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words(line);
        std::string number, parent, device, root, point;
        if (words >> number >> parent >> device >> root >> point && point == "/") return false;
    }
    return true;
}

bool is_root() {
    return ::geteuid() == 0;
}

std::vector<std::string> left_behind(const fs::path& folder) {
    std::vector<std::string> lines;
    for (const auto& loop : fs::directory_iterator("/sys/block")) {
        const fs::path backing = loop.path() / "loop" / "backing_file";
        std::error_code none;
        if (!fs::exists(backing, none)) continue;
        const std::string file = read_file(backing);
        if (file.rfind(folder.string(), 0) == 0) lines.push_back(loop.path().filename().string() + " holds " + file);
    }
    // Mounts in the agent's namespace are not visible here and end with the agent, so look for running agents.
    for (const auto& process : fs::directory_iterator("/proc")) {
        std::error_code none;
        const fs::path program = fs::read_symlink(process.path() / "exe", none);
        if (none || program.filename() != "mediarig-agent") continue;
        if (program.parent_path() == fs::path(mediarig_program()).parent_path())
            lines.push_back("agent " + process.path().filename().string() + " runs");
    }
    std::istringstream mounts(read_file("/proc/self/mounts"));
    for (std::string line; std::getline(mounts, line);)
        if (line.find(folder.string()) != std::string::npos || line.find("/run/mediarig-") != std::string::npos)
            lines.push_back("mounted: " + line);
    return lines;
}

std::vector<std::string> left_behind_at_last(const fs::path& folder) {
    (void)eventually([&] { return left_behind(folder).empty(); }, 60s);
    return left_behind(folder);
}

} // namespace mediarig::e2e
