// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/format/format_loop.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mediarig::test {

TemporaryFile::TemporaryFile(Bytes size) : path_("/var/tmp/mediarig-test-XXXXXX") {
    const int fd = ::mkstemp(path_.data());
    REQUIRE(fd >= 0);
    REQUIRE(::ftruncate(fd, static_cast<off_t>(size.count)) == 0);
    ::close(fd);
}

TemporaryFile::~TemporaryFile() {
    ::unlink(path_.c_str());
}

ToolFolder::ToolFolder() : path_("/var/tmp/mediarig-tools-XXXXXX") {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

ToolFolder::~ToolFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void ToolFolder::add(const std::string& program, const std::string& script) {
    const std::string path = path_ + "/" + program;
    std::ofstream(path) << "#!/bin/sh\n" << script << '\n';
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
}

LoopMedium::LoopMedium(Bytes size, std::uint32_t sector_size)
    : image_(size), discovery_(media::make_linux_discovery()) {
    auto loop = media::attach_loop(image_.path());
    REQUIRE(reason(loop) == "success");
    loop_.emplace(std::move(*loop));
    if (sector_size == 512) return;
    const int fd = ::open(node().c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::ioctl(fd, LOOP_SET_BLOCK_SIZE, static_cast<unsigned long>(sector_size)) == 0);
    ::close(fd);
}

media::ErasableMedium& LoopMedium::claim() {
    if (!claim_) {
        auto claimed = media::claim_erasable(*discovery_, node(), image_.path());
        REQUIRE(reason(claimed) == "success");
        claim_.emplace(std::move(*claimed));
    }
    return *claim_;
}

void LoopMedium::release_for_fork() {
    release();
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code unreadable;
        const std::string opened = std::filesystem::read_symlink(entry.path(), unreadable).string();
        if (opened != node() && opened != image()) continue;
        const int reading = ::open(opened.c_str(), O_RDONLY | O_CLOEXEC);
        REQUIRE(reading >= 0);
        REQUIRE(::dup3(reading, std::stoi(entry.path().filename().string()), O_CLOEXEC) >= 0);
        ::close(reading);
    }
}

void LoopMedium::write(std::uint64_t offset, const std::string& bytes) const {
    const int fd = ::open(node().c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes.size()));
    REQUIRE(::fsync(fd) == 0);
    ::close(fd);
}

std::string LoopMedium::read(std::uint64_t offset, std::size_t length) const {
    const int fd = ::open(node().c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    std::string bytes(length, '\0');
    REQUIRE(::pread(fd, bytes.data(), length, static_cast<off_t>(offset)) == static_cast<ssize_t>(length));
    ::close(fd);
    return bytes;
}

bool LoopMedium::is_free() const {
    if (claim_ && claim_->descriptor() >= 0) return true;
    const int fd = ::open(node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
    if (fd >= 0) ::close(fd);
    return fd >= 0;
}

bool may_make_loops() {
    return ::geteuid() == 0 && ::access("/dev/loop-control", R_OK | W_OK) == 0;
}

std::string field(const std::string& said, const std::string& label) {
    const std::size_t at = said.find(label);
    if (at == std::string::npos) return "(none)";
    const std::size_t behind = at + label.size();
    const std::string rest = said.substr(behind, said.find('\n', behind) - behind);
    const std::size_t first = rest.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : rest.substr(first, rest.find_last_not_of(" \t\r") + 1 - first);
}

process::Finished run_checker(const std::string& program, const std::vector<std::string>& arguments) {
    const auto finished = process::run_process({.program = program, .arguments = arguments});
    REQUIRE(reason(finished) == "success");
    return *finished;
}

bool is_installed(const std::string& program) {
    return process::find_program(program).has_value();
}

} // namespace mediarig::test
