// SPDX-License-Identifier: GPL-3.0-or-later
/// A simulated rig's files: its script, and what outlives the process: the board's retained memory, where cards are.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "firmware/core/link/retained.hpp"
#include "firmware/plant/cards.hpp"

namespace mediarig::board {

/// The memory that a reset leaves alone, as a file that is mapped: what was written is in it however the process ends.
class RetainedFile {
public:
    /// `path` empty: memory of this process only. Errors: one line.
    [[nodiscard]] static tl::expected<RetainedFile, std::string> open(const std::string& path);
    RetainedFile(RetainedFile&& other) noexcept;
    RetainedFile& operator=(RetainedFile&&) = delete;
    ~RetainedFile();

    [[nodiscard]] firmware::Retained& memory() { return *memory_; }
    [[nodiscard]] bool survived() const { return survived_; } ///< it was there before this process

private:
    RetainedFile() = default;
    firmware::Retained* memory_{};
    bool survived_{};
};

/// At most 1 MiB. The error is one line.
[[nodiscard]] tl::expected<std::string, std::string> read_script_file(const std::string& path);

/// One card a line: "3 port 1" (numbers as on the wire). Nothing is there yet: an empty string is no error.
[[nodiscard]] tl::expected<bool, std::string> read_cards(const std::string& path, plant::Cards& cards);
/// Replaces the file as a whole.
[[nodiscard]] tl::expected<void, std::string> write_cards(const std::string& path, const plant::Cards& cards);

} // namespace mediarig::board
