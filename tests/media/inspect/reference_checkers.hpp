// SPDX-License-Identifier: GPL-3.0-or-later
/// Common parts of tests in which other programs check mediarig's parsers: sparse image files, and values from the
/// output of such a program.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/inspect.hpp"
#include "tests/media/format/format_loop.hpp"

namespace mediarig::test {

/// Inspects an image or a device, opened read-only.
[[nodiscard]] media::InspectReport look_at(const std::string& path, Bytes size, std::uint32_t sector_size);

/// A sparse image that reference checkers open by its path, removed by the destructor.
class CheckedImage {
public:
    explicit CheckedImage(Bytes size) : file_(size), size_(size) {}
    [[nodiscard]] const std::string& path() const { return file_.path(); }
    [[nodiscard]] Bytes size() const { return size_; }
    /// Inspects the image, read-only.
    [[nodiscard]] media::InspectReport look(std::uint32_t sector_size = 512) const {
        return look_at(path(), size_, sector_size);
    }
    /// The only volume of a medium without a table. The test fails if the volume has a fault or stale signatures.
    [[nodiscard]] media::InspectedVolume only_volume() const;
    /// The bytes at that offset as "00f0a1".
    [[nodiscard]] std::string hex(std::uint64_t offset, std::uint64_t length) const;
    /// Copies the data (not the holes) of another image to `offset` of this one.
    void put(const CheckedImage& other, Bytes offset) const;

private:
    TemporaryFile file_;
    Bytes size_;
};

/// Standard output of a program. The test fails if it exits with an error.
[[nodiscard]] std::string said_by(const std::string& program, const std::vector<std::string>& arguments);
/// Runs sfdisk, which reads its script from standard input.
void write_table(const std::string& path, const std::string& script);
/// Empty if all programs are installed, else the reason to skip.
[[nodiscard]] std::string missing(const std::vector<std::string>& programs);

/// The first group of the first match of a regular expression, or "(none)".
[[nodiscard]] std::string match(const std::string& said, const std::string& pattern);
/// A checker's count of sectors, clusters or blocks in bytes, in the form of a parameter. "(none)" is kept.
[[nodiscard]] std::string in_bytes(const std::string& count, Bytes unit);

/// Lower case: reference checkers print hexadecimal digits in either case.
[[nodiscard]] std::string lower(std::string text);

/// The value of a parameter, or "(none)".
[[nodiscard]] std::string value(const media::InspectedVolume& volume, const std::string& name);
[[nodiscard]] std::string table_value(const media::InspectReport& report, const std::string& name);

} // namespace mediarig::test

/// Skips a test if one of these programs is missing.
#define MEDIARIG_NEEDS(...)                                                 \
    do {                                                                    \
        const std::string lacking = mediarig::test::missing({__VA_ARGS__}); \
        if (!lacking.empty()) MEDIARIG_SKIP(lacking);                       \
    } while (false)
