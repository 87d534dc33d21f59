// SPDX-License-Identifier: GPL-3.0-or-later
/// Applies the comparison rule to the measurements of another program: one reply per line (docs/guide/comparison.md).
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "host/base/result.hpp"
#include "host/measure/comparison/comparison.hpp"
#include "host/measure/comparison/lines/message.hpp"

namespace mediarig::measure::comparison {

class Dialog {
public:
    /// Returns the reply to the next line; nothing for an end message and for an empty line. Fails with bad_request and
    /// names the line and the position; the state is then unchanged.
    [[nodiscard]] Result<std::optional<nlohmann::json>> answer(std::string_view line);
    /// Returns true if any line was not blank.
    [[nodiscard]] bool was_asked() const { return asked_; }
    /// Returns true if a trial has neither a decision nor an end.
    [[nodiscard]] bool is_undecided() const { return trial_ && !trial_->comparison.ended(); }

private:
    struct Trial {
        std::vector<std::string> formats;
        Comparison comparison;
        std::uint64_t blocks{};
    };
    [[nodiscard]] Result<std::optional<nlohmann::json>> answer_to(const Start& start);
    [[nodiscard]] Result<std::optional<nlohmann::json>> answer_to(const MeasuredBlock& block);
    [[nodiscard]] Result<std::optional<nlohmann::json>> answer_to(const End& end);

    std::optional<Trial> trial_;
    std::size_t lines_{};
    bool asked_{};
};

} // namespace mediarig::measure::comparison
