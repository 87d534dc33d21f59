// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/inspect/image.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "tests/catch.hpp"

namespace mediarig::test {

Image::Image(Bytes size) : fd_(::memfd_create("mediarig-image", MFD_CLOEXEC)), size_(size) {
    REQUIRE(fd_ >= 0);
    REQUIRE(::ftruncate(fd_, static_cast<off_t>(size.count)) == 0);
}

Image::Image(Image&& other) noexcept : fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

Image::~Image() {
    if (fd_ >= 0) ::close(fd_);
}

std::string Image::path() const {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_);
}

std::vector<std::byte> Image::read(std::uint64_t offset, std::uint64_t length) const {
    std::vector<std::byte> bytes(length);
    REQUIRE(::pread(fd_, bytes.data(), length, static_cast<off_t>(offset)) == static_cast<ssize_t>(length));
    return bytes;
}

void Image::write(std::uint64_t offset, std::span<const std::byte> bytes) {
    REQUIRE(::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(bytes.size()));
}

void Image::write(std::uint64_t offset, const std::vector<int>& bytes) {
    std::vector<std::byte> raw;
    for (const int byte : bytes) raw.push_back(static_cast<std::byte>(byte));
    write(offset, raw);
}

Image image_from_hex(const std::string& name, Bytes size) {
    Image image(size);
    std::ifstream file(std::string(MEDIARIG_GOLDEN_DIR) + "/media/" + name);
    REQUIRE(file.good());
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        std::uint64_t offset{};
        char colon{};
        words >> std::hex >> offset >> colon;
        std::vector<int> bytes;
        for (int byte{}; words >> byte;) bytes.push_back(byte);
        image.write(offset, bytes);
    }
    return image;
}

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto raw = std::as_bytes(std::span(text));
    return {raw.begin(), raw.end()};
}

std::vector<int> le32(std::uint32_t value) {
    std::vector<int> bytes;
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<int>(value >> (8 * i) & 0xFF));
    return bytes;
}

std::vector<int> le64(std::uint64_t value) {
    std::vector<int> bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<int>(value >> (8 * i) & 0xFF));
    return bytes;
}

} // namespace mediarig::test
