// SPDX-License-Identifier: GPL-3.0-or-later
/// Collects what is wrong with a text, so that one run tells the user everything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::strict_json {

class Faults {
public:
    static constexpr std::size_t shown_at_most = 100;

    /// `pointer` is a JSON pointer; the whole text is shown as "/".
    void add(std::string_view pointer, std::string_view reason);
    [[nodiscard]] std::size_t count() const { return count_; }
    /// The first hundred, in the order in which they were found, then how many were left out.
    [[nodiscard]] std::vector<std::string> take();

private:
    std::vector<std::string> lines_;
    std::size_t count_{};
};

/// `pointer` one level deeper, escaped as RFC 6901 says ("~" and "/"); long keys are cut, control characters shown as
/// "?".
[[nodiscard]] std::string deeper(std::string_view pointer, std::string_view key);
[[nodiscard]] std::string deeper(std::string_view pointer, std::size_t index);

/// `text` on one line and at most `limit` bytes, for quoting in a message; never cuts a UTF-8 sequence.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t limit = 60);

} // namespace mediarig::strict_json
