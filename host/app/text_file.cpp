// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace mediarig::app {
namespace {

constexpr unsigned most_of_one_name = 100'000;

/// An empty file under a name that nobody had.
Result<std::filesystem::path> taken_name(const std::filesystem::path& folder, std::string_view stem,
                                         std::string_view ending) {
    for (unsigned count = 1; count <= most_of_one_name; ++count) {
        std::filesystem::path file =
            folder / (count == 1 ? fmt::format("{}{}", stem, ending) : fmt::format("{}-{}{}", stem, count, ending));
        const int created = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (created >= 0) {
            ::close(created);
            return file;
        }
        if (errno != EEXIST)
            return fail(Errc::bad_request, fmt::format("{} cannot be written: {}; choose another place", file.string(),
                                                       std::strerror(errno)));
    }
    return fail(Errc::bad_request, fmt::format("{} holds {} files called {}-N{}; remove those that are not needed",
                                               folder.string(), most_of_one_name, stem, ending));
}

} // namespace

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

Result<std::filesystem::path> write_new_text(const std::filesystem::path& folder, std::string_view stem,
                                             std::string_view ending, std::string_view text) {
    auto file = taken_name(folder, stem, ending);
    if (!file) return file;
    if (auto written = write_text(*file, text); !written) {
        std::error_code ignored;
        std::filesystem::remove(*file, ignored);
        return fail(written.error());
    }
    return file;
}

} // namespace mediarig::app
