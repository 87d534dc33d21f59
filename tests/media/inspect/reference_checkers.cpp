// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/inspect/reference_checkers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>

#include "host/base/process/run_process.hpp"

namespace mediarig::test {
namespace {

/// A descriptor, closed by the destructor.
class OpenedFile {
public:
    OpenedFile(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC)) { REQUIRE(fd_ >= 0); }
    OpenedFile(const OpenedFile&) = delete;
    OpenedFile& operator=(const OpenedFile&) = delete;
    ~OpenedFile() { ::close(fd_); }
    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
};

std::vector<char> bytes_at(int fd, std::uint64_t offset, std::uint64_t length) {
    std::vector<char> bytes(length);
    REQUIRE(::pread(fd, bytes.data(), length, static_cast<off_t>(offset)) == static_cast<ssize_t>(length));
    return bytes;
}

} // namespace

media::InspectReport look_at(const std::string& path, Bytes size, std::uint32_t sector_size) {
    const OpenedFile file(path, O_RDONLY);
    auto report = media::inspect(file.fd(), size, sector_size);
    REQUIRE(reason(report) == "success");
    return *report;
}

media::InspectedVolume CheckedImage::only_volume() const {
    const media::InspectReport report = look();
    REQUIRE(report.scheme == "none");
    REQUIRE(report.volumes.size() == 1);
    CHECK(report.problem.empty());
    CHECK(report.volumes[0].problem.empty());
    CHECK(report.stale_signatures.empty());
    return report.volumes[0];
}

std::string CheckedImage::hex(std::uint64_t offset, std::uint64_t length) const {
    std::string text;
    for (const char byte : bytes_at(OpenedFile(path(), O_RDONLY).fd(), offset, length))
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

void CheckedImage::put(const CheckedImage& other, Bytes offset) const {
    const OpenedFile from(other.path(), O_RDONLY), to(path(), O_RDWR);
    constexpr off_t piece = 1 << 20;
    off_t at = 0;
    while ((at = ::lseek(from.fd(), at, SEEK_DATA)) >= 0) {
        const off_t end = ::lseek(from.fd(), at, SEEK_HOLE);
        for (; at < end; at += std::min(piece, end - at)) {
            const auto bytes = bytes_at(from.fd(), static_cast<std::uint64_t>(at),
                                        static_cast<std::uint64_t>(std::min(piece, end - at)));
            REQUIRE(::pwrite(to.fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset.count) + at) ==
                    static_cast<ssize_t>(bytes.size()));
        }
    }
}

std::string said_by(const std::string& program, const std::vector<std::string>& arguments) {
    const process::Finished finished = run_checker(program, arguments);
    INFO(program << ": " << finished.out << finished.err);
    REQUIRE(finished.succeeded());
    return finished.out;
}

void write_table(const std::string& path, const std::string& script) {
    const TemporaryFile text(0_B);
    std::ofstream(text.path()) << script;
    const auto made = run_checker("sh", {"-c", "sfdisk -q \"$1\" < \"$2\"", "sh", path, text.path()});
    INFO(made.err);
    REQUIRE(made.succeeded());
}

std::string missing(const std::vector<std::string>& programs) {
    for (const std::string& program : programs)
        if (!is_installed(program)) return program + " is not installed";
    return {};
}

std::string match(const std::string& said, const std::string& pattern) {
    std::smatch found;
    return std::regex_search(said, found, std::regex(pattern)) ? found[1].str() : "(none)";
}

std::string in_bytes(const std::string& count, Bytes unit) {
    if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos) return "(none)";
    return std::to_string((unit * std::stoull(count)).count);
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string value(const media::InspectedVolume& volume, const std::string& name) {
    return media::parameter(volume, name).value_or("(none)");
}

std::string table_value(const media::InspectReport& report, const std::string& name) {
    for (const auto& [key, text] : report.parameters)
        if (key == name) return text;
    return "(none)";
}

} // namespace mediarig::test
