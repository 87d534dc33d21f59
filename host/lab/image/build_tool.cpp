// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/build_tool.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/base/process/run_process.hpp"
#include "host/base/replace_file.hpp"

namespace mediarig::lab {
namespace {

std::string search_path(const ImageOptions& options) {
    return options.search_path.empty() ? process::system_search_path : options.search_path;
}

/// Child processes get a clean environment; apt needs these settings to reach the network.
std::vector<std::string> proxy_settings() {
    std::vector<std::string> settings;
    for (const char* name : {"http_proxy", "https_proxy", "no_proxy", "ftp_proxy"})
        if (const char* value = std::getenv(name)) settings.push_back(fmt::format("{}={}", name, value));
    return settings;
}

/// Returns the most informative line: apt's "E: …" and make's "… error: …" come after many other lines.
std::string telling_line(const process::Finished& finished) {
    for (const char* mark : {"E: ", " error: ", "rror:"}) {
        const std::size_t found = finished.err.find(mark);
        if (found == std::string::npos) continue;
        const std::size_t before = finished.err.rfind('\n', found);
        const std::size_t start = before == std::string::npos ? 0 : before + 1;
        return finished.err.substr(start, finished.err.find('\n', found) - start);
    }
    return process::first_words(finished);
}

} // namespace

bool has_tool(const ImageOptions& options, const std::string& program) {
    return process::find_program(program, search_path(options)).has_value();
}

Result<std::string> run_tool(const ImageOptions& options, const ToolCall& call) {
    if (!has_tool(options, call.program))
        return fail(Errc::no_driver,
                    fmt::format("the lab's guest image needs {}, which this machine lacks: install the package {}",
                                call.program, call.package));
    // Every Debian has env; it sets the working folder, which run_process does not.
    std::vector<std::string> arguments{"-C", call.folder.string()};
    for (std::string& setting : proxy_settings()) arguments.push_back(std::move(setting));
    arguments.push_back(call.program);
    arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
    auto finished = process::run_process({.program = "env",
                                          .arguments = std::move(arguments),
                                          .time_limit = call.time_limit,
                                          .output_limit = 16_MiB,
                                          .search_path = search_path(options),
                                          .cancel = options.cancel});
    if (!finished) return fail(finished.error());
    if (!finished->succeeded()) {
        const std::string words = telling_line(*finished);
        return fail(Errc::io_failed, fmt::format("{} failed with {}{}{}", call.program, process::ending_of(*finished),
                                                 words.empty() ? "" : ": ", words));
    }
    return std::move(finished->out);
}

Result<std::string> read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string content;
    std::array<char, 65536> part{};
    while (stream.read(part.data(), part.size()) || stream.gcount() > 0)
        content.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (!stream.is_open() || stream.bad())
        return fail(Errc::io_failed, fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
    return content;
}

Result<void> write_file(const std::filesystem::path& file, std::string_view content) {
    return replace_own_file(file, content);
}

Result<void> make_folder(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return fail(Errc::io_failed, fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
    return {};
}

} // namespace mediarig::lab
