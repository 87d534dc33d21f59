// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium in memory: sparse, filled from a golden hex file or by the test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"

namespace mediarig::test {

class Image {
public:
    explicit Image(Bytes size);
    Image(Image&&) noexcept;
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    Image& operator=(Image&&) = delete;
    ~Image();

    [[nodiscard]] int descriptor() const { return fd_; }
    [[nodiscard]] Bytes size() const { return size_; }
    /// A path for a child process: "/proc/PID/fd/N".
    [[nodiscard]] std::string path() const;
    [[nodiscard]] std::vector<std::byte> read(std::uint64_t offset, std::uint64_t length) const;
    void write(std::uint64_t offset, std::span<const std::byte> bytes);
    void write(std::uint64_t offset, const std::vector<int>& bytes);

private:
    int fd_;
    Bytes size_;
};

/// "offset: bytes" lines in hexadecimal. Lines with # are comments. `name` is a file in tests/golden/media/.
[[nodiscard]] Image image_from_hex(const std::string& name, Bytes size);

/// Block size of the APFS and HFS+ media in tests/golden/media/.
inline constexpr std::uint64_t apple_block = 4096;

/// Bytes of a text including NULs.
[[nodiscard]] std::vector<std::byte> bytes_of(std::string_view text);

/// Little-endian bytes of a value.
[[nodiscard]] std::vector<int> le32(std::uint32_t value);
[[nodiscard]] std::vector<int> le64(std::uint64_t value);

} // namespace mediarig::test
