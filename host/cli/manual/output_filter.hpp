// SPDX-License-Identifier: GPL-3.0-or-later
/// What stands between the commands and the terminal: whatever a command prints, no control of a medium, a file, a tool
/// or an older record passes. Fields are made printable where they are put into lines; this catches what was forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>

namespace mediarig::cli {

/// Which controls pass besides the line end.
enum class OwnControls : std::uint8_t {
    none,
    terminal, ///< the few with which this program colours tables and draws its progress line again
};

/// A line of prose that is longer than `columns`, broken between words; what is typed as one, `mediarig run --resume`,
/// is not taken apart. A line with columns of its own, or controls, stays as it is.
[[nodiscard]] std::string broken_between_words(std::string_view line, std::size_t columns);

/// Hands text on to another buffer, with U+FFFD in place of each control and each byte that is no UTF-8. Line feeds, CR
/// before them and tabs pass. Whole lines of prose are broken between words. One thread.
class OutputFilter final : public std::streambuf {
public:
    /// `to` outlives this. `columns` of the terminal; 0: there is none, and lines stay as they are.
    OutputFilter(std::streambuf& to, OwnControls own, std::size_t columns = 0)
        : to_(to), own_(own), columns_(columns) {}

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    /// An incomplete sequence at the end counts as wrong.
    int sync() override;

private:
    [[nodiscard]] bool pass_on(bool to_the_end);
    [[nodiscard]] std::string folded(std::string_view text);

    std::streambuf& to_;
    OwnControls own_;
    std::size_t columns_;
    bool at_line_start_{true};
    std::string pending_; ///< the beginning of a sequence whose end has not come yet
};

} // namespace mediarig::cli
