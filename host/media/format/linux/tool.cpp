// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/tool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

std::string not_installed(const Tool& tool, const std::string& search_path) {
    return fmt::format("{} is not installed: apt install {} (looked in {})", tool.program, tool.package, search_path);
}

Result<process::Finished> run_named(const Tool& tool, process::Command command) {
    auto finished = process::run_process(command);
    if (finished || finished.error().code != Errc::no_driver) return finished;
    return fail(Errc::no_driver, not_installed(tool, command.search_path));
}

} // namespace

Result<process::Finished> run_tool(const Tool& tool, const std::vector<std::string>& arguments, int descriptor,
                                   const ToolSetting& setting, std::chrono::milliseconds time_limit,
                                   const std::string& input) {
    return run_named(tool, {.program = tool.program,
                            .arguments = arguments,
                            .inherit = {{.ours = descriptor, .childs = 3}},
                            .time_limit = time_limit,
                            .search_path = setting.search_path,
                            .cancel = setting.cancel,
                            .input = input,
                            .sandbox = setting.sandbox});
}

std::vector<std::string> missing_of(std::initializer_list<Tool> tools, const ToolSetting& setting) {
    std::vector<std::string> missing;
    for (const Tool& tool : tools)
        if (!process::find_program(tool.program, setting.search_path))
            missing.push_back(not_installed(tool, setting.search_path));
    return missing;
}

Result<std::string> version_of(const Tool& tool, const std::string& option, const ToolSetting& setting) {
    const auto finished = run_named(tool, {.program = tool.program,
                                           .arguments = {option},
                                           .time_limit = 10s,
                                           .search_path = setting.search_path,
                                           .cancel = setting.cancel,
                                           .sandbox = setting.sandbox});
    if (!finished) return fail(finished.error());
    return version_in(*finished);
}

std::string version_in(const process::Finished& finished) {
    // Finds the version in "exfatprogs version : 1.2.0" with a usage text around it; "mkapfs version 0.1"; "FUSE exfat
    // 1.3.0+git20220115".
    std::istringstream words(finished.out + " " + finished.err);
    for (std::string word; words >> word;)
        if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) return word;
    return process::first_words(finished);
}

std::vector<std::string> lines_of(const process::Finished& finished, std::size_t most) {
    std::vector<std::string> lines;
    for (const std::string* said : {&finished.err, &finished.out}) {
        for (std::size_t begin = 0; begin < said->size() && lines.size() < most;) {
            const std::size_t end = std::min(said->find('\n', begin), said->size());
            std::string line = said->substr(begin, end - begin);
            begin = end + 1;
            line.erase(line.find_last_not_of(" \t\r") + 1);
            if (!line.empty() && !line.starts_with("exfatprogs version")) lines.push_back(std::move(line));
        }
    }
    return lines;
}

std::string failure_of(const process::Finished& finished) {
    constexpr std::size_t most_lines = 3;
    const bool complained = finished.err.find_first_not_of(" \t\r\n") != std::string::npos;
    process::Finished words;
    words.err = complained ? finished.err : finished.out;
    return fmt::format("{}: {}", process::ending_of(finished), fmt::join(lines_of(words, most_lines), "; "));
}

} // namespace mediarig::media
