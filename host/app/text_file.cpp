// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace mediarig::app {

Result<std::string> read_text(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return fail(Errc::bad_request, fmt::format("{} is a directory; name a file", file.string()));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return fail(Errc::bad_request,
                    fmt::format("{} cannot be read: {}; check the name", file.string(), std::strerror(errno)));
    std::ostringstream text;
    text << in.rdbuf();
    if (in.bad()) return fail(Errc::bad_request, fmt::format("{} cannot be read to its end", file.string()));
    return text.str();
}

Result<void> write_text(const std::filesystem::path& file, std::string_view text) {
    std::filesystem::path unfinished = file;
    unfinished += ".part";
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    if (!out)
        return fail(Errc::bad_request,
                    fmt::format("{} cannot be written: {}; choose another place", file.string(), std::strerror(errno)));
    out << text;
    out.close();
    std::error_code error;
    if (out) {
        std::filesystem::rename(unfinished, file, error);
        if (!error) return {};
    }
    const std::string cause = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(unfinished, error);
    return fail(Errc::io_failed,
                fmt::format("{} cannot be written: {}; free some space or choose another place", file.string(), cause));
}

} // namespace mediarig::app
