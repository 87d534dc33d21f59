// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/console.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <utility>

namespace mediarig::lab {
namespace {

constexpr std::size_t longest_line = 300;
constexpr std::size_t lines_kept = 3;

/// True if the kernel reported that it has failed.
bool is_fatal(const std::string& line) {
    constexpr std::array late{"soft lockup", "workqueue lockup", "hard LOCKUP"};
    for (const char* word : late)
        if (line.find(word) != std::string::npos) return false;
    constexpr std::array broken{"Kernel panic", "Oops: ",        "Oops - ",
                                "BUG: ",        "kernel BUG at", "general protection fault"};
    for (const char* word : broken)
        if (line.find(word) != std::string::npos) return true;
    return false;
}

} // namespace

void ConsoleWatch::push(std::string_view bytes) {
    for (const char c : bytes) {
        if (c == '\n')
            end_line();
        else if (line_.size() < longest_line && c >= ' ' && c <= '~')
            line_ += c;
    }
}

void ConsoleWatch::end_line() {
    std::string line = std::exchange(line_, {});
    if (line.empty()) return;
    if (!fatal_ && is_fatal(line)) fatal_ = line;
    if (line.find("lab: agent ended with") != std::string::npos) ++agent_ends_;
    last_.push_back(std::move(line));
    if (last_.size() > lines_kept) last_.pop_front();
}

std::string ConsoleWatch::last_lines() const {
    std::string text;
    for (const std::string& line : last_) text += (text.empty() ? "" : " | ") + line;
    if (!line_.empty()) text += (text.empty() ? "" : " | ") + line_;
    return text;
}

const ConsoleWatch& ConsoleFile::read() {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset_));
    std::array<char, 16384> buffer{};
    while (file.read(buffer.data(), buffer.size()), file.gcount() > 0) {
        const auto count = static_cast<std::size_t>(file.gcount());
        watch_.push({buffer.data(), count});
        offset_ += count;
    }
    return watch_;
}

std::string last_line(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find_last_not_of("\r\n \t");
        if (end == std::string_view::npos) return {};
        text = text.substr(0, end + 1);
        const std::size_t begin = text.find_last_of("\r\n");
        std::string line;
        for (const char c : text.substr(begin == std::string_view::npos ? 0 : begin + 1))
            if (c >= ' ' && c <= '~' && line.size() < longest_line) line += c;
        if (!line.empty()) return line;
        text = begin == std::string_view::npos ? std::string_view() : text.substr(0, begin);
    }
    return {};
}

std::string tail_of_file(const std::string& path) {
    constexpr std::streamoff most = 65536;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return {};
    const std::streamoff size = file.tellg();
    file.seekg(size > most ? size - most : 0);
    std::ostringstream text; // an iterator of the buffer would throw at a read error
    text << file.rdbuf();
    return text.str();
}

std::string explain_qemu(std::string_view log) {
    std::string said = last_line(log);
    // Remove the program name and the option number.
    if (const std::size_t colon = said.find(": "); said.rfind("qemu-system", 0) == 0 && colon != std::string::npos)
        said.erase(0, colon + 2);
    if (log.find("Is another process using the image") != std::string_view::npos ||
        log.find("Failed to get \"write\" lock") != std::string_view::npos)
        return "an image is in use by another program: " + said;
    return said.empty() ? "QEMU printed nothing" : said;
}

} // namespace mediarig::lab
