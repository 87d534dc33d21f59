// SPDX-License-Identifier: GPL-3.0-or-later
/// Bytes in, lines out. Pure; holds at most one line of `limit` bytes plus what was pushed last.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace mediarig::agent {

/// Longest line either side may send, without its line end.
inline constexpr std::size_t longest_line = std::size_t{8} << 20;

struct Frame {
    enum class Kind : unsigned char {
        line,      ///< `text` is a line without its end; never empty
        oversized, ///< a line was longer than the limit and has been skipped to its end; `text` is its head
    };
    Kind kind{};
    std::string text;
    bool operator==(const Frame&) const = default;
};

class LineFramer {
public:
    explicit LineFramer(std::size_t limit = longest_line) : limit_(limit) {}

    /// A line ends with "\n" or "\r\n". Empty lines are no frames.
    void push(std::string_view bytes);
    /// The oldest frame not taken yet. An oversized line is reported once, as soon as it is known to be too long.
    [[nodiscard]] std::optional<Frame> next();
    /// Bytes of a line that has not ended; what is left of them when the link ends was never sent whole.
    [[nodiscard]] std::size_t unfinished() const { return line_.size(); }

private:
    void end_line();

    std::size_t limit_;
    std::string line_;
    std::deque<Frame> frames_;
    bool skipping_{false};
};

} // namespace mediarig::agent
