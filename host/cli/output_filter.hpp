// SPDX-License-Identifier: GPL-3.0-or-later
/// What stands between the commands and the terminal: whatever a command prints, no control of a medium, a file, a tool
/// or an older record passes. Fields are made printable where they are put into lines; this catches what was forgotten.
#pragma once

#include <cstdint>
#include <streambuf>
#include <string>

namespace mediarig::cli {

/// Which controls pass besides the line end.
enum class OwnControls : std::uint8_t {
    none,
    terminal, ///< the few with which this program colours tables and draws its progress line again
};

/// Hands text on to another buffer, with U+FFFD in place of each control and each byte that is no UTF-8. Line feeds, CR
/// before them and tabs pass. One thread.
class OutputFilter final : public std::streambuf {
public:
    /// `to` outlives this.
    OutputFilter(std::streambuf& to, OwnControls own) : to_(to), own_(own) {}

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    /// An incomplete sequence at the end counts as wrong.
    int sync() override;

private:
    [[nodiscard]] bool pass_on(bool to_the_end);

    std::streambuf& to_;
    OwnControls own_;
    std::string pending_; ///< the beginning of a sequence whose end has not come yet
};

} // namespace mediarig::cli
