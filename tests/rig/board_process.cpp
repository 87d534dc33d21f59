// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/board_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace mediarig::rig {
namespace {

/// Its kind, program and arguments.
std::vector<std::string> board_words() {
    const char* value = std::getenv("MEDIARIG_RIG_BOARD"); // NOLINT(concurrency-mt-unsafe): one thread is here
    std::istringstream in(value == nullptr ? "" : value);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

} // namespace

std::string BoardProcess::kind() {
    const auto words = board_words();
    return words.empty() ? std::string{} : words.front();
}

std::optional<std::string> BoardProcess::missing() {
    const auto words = board_words();
    if (words.empty()) return "MEDIARIG_RIG_BOARD names no board: run this through ctest";
    if (words.size() == 1)
        return "the " + words.front() + " is not built: it needs node with its packages (npm ci), and the ARM compiler";
    for (const std::string& word : words)
        if (word.front() == '/' && !std::filesystem::exists(word)) return "there is no " + word;
    return std::nullopt;
}

BoardProcess::BoardProcess(std::vector<std::string> more) {
    std::string pattern = (std::filesystem::temp_directory_path() / "mediarig-board-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    link_ = (folder_ / "line").string();
    auto words = board_words();
    words.erase(words.begin());
    words.insert(words.end(), {"--link", link_, "--until-eof"});
    words.insert(words.end(), more.begin(), more.end());
    int to[2];
    int from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
        ::dup2(to[0], STDIN_FILENO);
        ::dup2(from[1], STDOUT_FILENO);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = to[1];
    out_ = from[0];
    const auto ready = read_line();
    if (!ready.value("ready", false)) throw std::runtime_error("the board did not become ready: " + ready.dump());
    // A board connects some time after its start, an emulated one on a busy machine much later.
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!std::filesystem::exists(link_)) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("the board's line does not appear");
        ::usleep(1000);
    }
}

BoardProcess::~BoardProcess() {
    // The board process exits when its input is closed. A hanging process is killed.
    if (in_ >= 0) ::close(in_);
    if (out_ >= 0) ::close(out_);
    if (child_ > 0) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (::waitpid(child_, nullptr, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > until) ::kill(child_, SIGKILL);
            ::usleep(1000);
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

nlohmann::json BoardProcess::say(const std::string& sentence) {
    const std::string line = sentence + "\n";
    if (::write(in_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::runtime_error("the board does not listen");
    while (true) {
        auto answer = read_line();
        // A line with news, such as the new pty after a reset.
        if (!answer.contains("ok") && sentence != "state") continue;
        if (sentence == "state" && !answer.contains("x") && !answer.contains("cards")) continue;
        if (!answer.value("ok", true)) throw std::runtime_error(sentence + ": " + answer.dump());
        return answer;
    }
}

nlohmann::json BoardProcess::read_line() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (true) {
        if (const auto end = buffer_.find('\n'); end != std::string::npos) {
            const std::string line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            const auto parsed = nlohmann::json::parse(line, nullptr, false);
            if (parsed.is_object()) return parsed;
            continue;
        }
        pollfd wait{out_, POLLIN, 0};
        char bytes[4096];
        const auto count = ::poll(&wait, 1, 1000) > 0 ? ::read(out_, bytes, sizeof bytes) : -1;
        if (count == 0) throw std::runtime_error("the board ended");
        if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("the board says nothing");
    }
}

} // namespace mediarig::rig
