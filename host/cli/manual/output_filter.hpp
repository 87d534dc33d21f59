// SPDX-License-Identifier: GPL-3.0-or-later
/// Filter between the commands and the terminal: removes control characters that come from a medium, a file, a tool or
/// an older record. Usually fields are made printable when a line is built; this filter handles fields that were
/// forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>

namespace mediarig::cli {

/// Control sequences that pass in addition to the line end.
enum class AllowedControls : std::uint8_t {
    none,
    terminal, ///< the colours of tables and the sequences of the progress lines
};

/// Wraps a line of prose like wrapped(), with its indentation. A line with columns or control characters is not
/// changed.
[[nodiscard]] std::string broken_between_words(std::string_view line, std::size_t columns);

/// Forwards text to another buffer; replaces each control character and each invalid byte of UTF-8 with U+FFFD. Line
/// feeds, CR before them and tabs pass. Breaks whole lines of prose between words. Not thread-safe.
class OutputFilter final : public std::streambuf {
public:
    /// `to` must outlive the filter. `columns`: width of the terminal; 0 without a terminal, so that lines are not
    /// wrapped.
    OutputFilter(std::streambuf& to, AllowedControls own, std::size_t columns = 0)
        : to_(to), own_(own), columns_(columns) {}

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    /// Treats an incomplete sequence at the end as invalid.
    int sync() override;

private:
    [[nodiscard]] bool pass_on(bool to_the_end);
    [[nodiscard]] std::string folded(std::string_view text);

    std::streambuf& to_;
    AllowedControls own_;
    std::size_t columns_;
    bool at_line_start_{true};
    std::string pending_; ///< beginning of an incomplete sequence
};

} // namespace mediarig::cli
