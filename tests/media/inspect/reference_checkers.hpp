// SPDX-License-Identifier: GPL-3.0-or-later
/// Common parts of tests in which foreign programs check our parsers: sparse image files, and values from the output of
/// such a program.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/inspect.hpp"
#include "tests/media/format/format_loop.hpp"

namespace mediarig::test {

/// Inspects an image or a device, opened read-only.
[[nodiscard]] media::InspectReport look_at(const std::string& path, Bytes size, std::uint32_t sector_size);

/// A sparse image that reference checkers open by its path; gone with the object.
class CheckedImage {
public:
    explicit CheckedImage(Bytes size) : file_(size), size_(size) {}
    [[nodiscard]] const std::string& path() const { return file_.path(); }
    [[nodiscard]] Bytes size() const { return size_; }
    /// Inspects the image, read-only.
    [[nodiscard]] media::InspectReport look(std::uint32_t sector_size = 512) const {
        return look_at(path(), size_, sector_size);
    }
    /// The one volume of a medium without a table; the test fails where it has a problem or stale signatures.
    [[nodiscard]] media::InspectedVolume only_volume() const;
    /// "00f0a1": the bytes as they stand there.
    [[nodiscard]] std::string hex(std::uint64_t offset, std::uint64_t length) const;
    /// Puts the data (not the holes) of another image at `offset` of this one.
    void put(const CheckedImage& other, Bytes offset) const;

private:
    TemporaryFile file_;
    Bytes size_;
};

/// Standard output of a program. The test fails if it exits with an error.
[[nodiscard]] std::string said_by(const std::string& program, const std::vector<std::string>& arguments);
/// sfdisk takes its script from standard input.
void write_table(const std::string& path, const std::string& script);
/// Empty where all of them are installed, else the reason to skip.
[[nodiscard]] std::string missing(const std::vector<std::string>& programs);

/// The first group of a regular expression, at its first match; "(none)".
[[nodiscard]] std::string match(const std::string& said, const std::string& pattern);
/// A checker's count of sectors, clusters or blocks in bytes, in the form of our parameters. "(none)" is kept.
[[nodiscard]] std::string in_bytes(const std::string& count, Bytes unit);

/// Reference checkers write hexadecimal letters as they like.
[[nodiscard]] std::string lower(std::string text);

/// The value of a parameter; "(none)".
[[nodiscard]] std::string value(const media::InspectedVolume& volume, const std::string& name);
[[nodiscard]] std::string table_value(const media::InspectReport& report, const std::string& name);

} // namespace mediarig::test

/// Ends a test for which one of these programs is missing.
#define MEDIARIG_NEEDS(...)                                                 \
    do {                                                                    \
        const std::string lacking = mediarig::test::missing({__VA_ARGS__}); \
        if (!lacking.empty()) MEDIARIG_SKIP(lacking);                       \
    } while (false)
