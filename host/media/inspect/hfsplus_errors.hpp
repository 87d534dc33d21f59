// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace mediarig::media::hfsplus {

/// Problems found by a check. One broken structure may cause millions of problems: keeps the first problems, and counts
/// all.
class CheckErrors {
public:
    template <class... Values>
    void add(fmt::format_string<Values...> text, Values&&... values) {
        if (listed_.size() < most)
            listed_.push_back(fmt::format(text, std::forward<Values>(values)...));
        else
            ++unlisted_;
    }
    [[nodiscard]] bool none() const { return listed_.empty(); }
    [[nodiscard]] const std::vector<std::string>& listed() const { return listed_; }
    [[nodiscard]] std::uint64_t unlisted() const { return unlisted_; }

private:
    static constexpr std::size_t most = 48;
    std::vector<std::string> listed_;
    std::uint64_t unlisted_{};
};

} // namespace mediarig::media::hfsplus
