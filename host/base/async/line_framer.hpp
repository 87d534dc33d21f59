// SPDX-License-Identifier: GPL-3.0-or-later
/// Splits a byte stream into lines. Pure; holds at most one line of `limit` bytes plus the bytes of the last push.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace mediarig::agent {

/// Maximum length of a line in either direction, without its line end.
inline constexpr std::size_t longest_line = std::size_t{8} << 20;

struct FramedLine {
    enum class Kind : unsigned char {
        line,      ///< `text` is a line without its end; never empty
        oversized, ///< a line exceeded the limit and was skipped to its end; `text` is its start
    };
    Kind kind{};
    std::string text;
    bool operator==(const FramedLine&) const = default;
};

class LineFramer {
public:
    explicit LineFramer(std::size_t limit = longest_line) : limit_(limit) {}

    /// A line ends with "\n" or "\r\n". Empty lines are not returned as frames.
    void push(std::string_view bytes);
    /// The oldest frame not yet taken. An oversized line is reported once, as soon as its length exceeds the limit.
    [[nodiscard]] std::optional<FramedLine> next();
    /// Number of bytes of an incomplete line. If the connection has ended, they belong to a line that was not sent
    /// completely.
    [[nodiscard]] std::size_t unfinished() const { return line_.size(); }

private:
    void end_line();

    std::size_t limit_;
    std::string line_;
    std::deque<FramedLine> frames_;
    bool skipping_{false};
};

} // namespace mediarig::agent
