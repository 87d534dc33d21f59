// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a folder of the job's own on the medium: gone when the job ends, whatever happened. Made, filled, emptied and
/// removed through descriptors, so that nothing else is touched where somebody exchanges names meanwhile.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/result.hpp"
#include "host/workload/file_tree.hpp"
#include "host/workload/medium_file.hpp"

namespace mediarig::workload {

/// The destructor removes it.
class WorkFolder {
public:
    static constexpr const char* prefix = "mediarig-work-";
    /// The names of the files that jobs make in such a folder; nothing else is ever removed.
    static constexpr const char* span_file = "span.bin";
    [[nodiscard]] static std::string piece_file(std::uint64_t index) {
        std::array<char, 20> digits; // made for each of a million files
        char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
        std::string name("piece-");
        name.append(digits.data(), static_cast<std::size_t>(end - digits.data())).append(".bin");
        return name;
    }

    virtual ~WorkFolder() = default;

    /// Makes a file that does not exist yet.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> create_file(const std::string& name, CachePolicy cache,
                                                                          SyncLevel sync) const = 0;
    /// Opens a file that this job has made, never what a link leads to.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> open_file(const std::string& name, CachePolicy cache,
                                                                        SyncLevel sync) const = 0;
    /// The folder itself, for jobs of many files and folders.
    [[nodiscard]] virtual Result<std::unique_ptr<FileTree>> tree() const = 0;
    /// Of the file system, as an ordinary user may use it; the largest number where it has no size of its own.
    [[nodiscard]] virtual Result<Bytes> free_space() const = 0;
    /// How many files and folders can still be made; nothing where the file system has no fixed number of them.
    [[nodiscard]] virtual std::optional<std::uint64_t> free_entries() const = 0;
    /// What a file takes is a multiple of this.
    [[nodiscard]] virtual Bytes allocation_unit() const = 0;
    /// The most bytes that a file may have; nothing where that is more than any test asks for.
    [[nodiscard]] virtual std::optional<Bytes> largest_file() const = 0;
    /// Removes the job's files in it and the folder. Fails with io_failed where something else lies in it, or where its
    /// name has become that of something else, which then stays. Done again by the destructor if it failed.
    [[nodiscard]] virtual Result<void> remove() = 0;
};

} // namespace mediarig::workload
