// SPDX-License-Identifier: GPL-3.0-or-later
/// Applies the rule to the measurements of another program: one answer per line (docs/guide/comparison.md).
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
    /// The answer to the next line; empty for an end and for an empty line. Fails with bad_request, names the line and
    /// the place, and keeps its state.
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
