// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads and writes the files of a simulated rig: its script, the board's retained memory, and the places of its cards.
/// The last two survive the process.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "firmware/core/link/retained.hpp"
#include "firmware/plant/cards.hpp"

namespace mediarig::board {

/// The memory that a reset preserves, as a mapped file. The file contains all writes, however the process ends.
class RetainedFile {
public:
    /// Empty `path`: memory of this process only. Errors: one line.
    [[nodiscard]] static tl::expected<RetainedFile, std::string> open(const std::string& path);
    RetainedFile(RetainedFile&& other) noexcept;
    RetainedFile& operator=(RetainedFile&&) = delete;
    ~RetainedFile();

    [[nodiscard]] firmware::Retained& memory() { return *memory_; }
    [[nodiscard]] bool survived() const { return survived_; } ///< the file existed before this process

private:
    RetainedFile() = default;
    firmware::Retained* memory_{};
    bool survived_{};
};

/// At most 1 MiB. The error is one line.
[[nodiscard]] tl::expected<std::string, std::string> read_script_file(const std::string& path);

/// One card per line: "3 port 1" (numbers as in the protocol). A missing file gives an empty string, which is no error.
[[nodiscard]] tl::expected<bool, std::string> read_cards(const std::string& path, plant::Cards& cards);
/// Replaces the whole file.
[[nodiscard]] tl::expected<void, std::string> write_cards(const std::string& path, const plant::Cards& cards);

} // namespace mediarig::board
