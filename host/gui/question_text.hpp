// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts of the window for values, in the user's language. Texts of the engine (verdicts, findings, refusals, errors)
/// are not translated: they are shown as stored.
#pragma once

#include <QString>
#include <chrono>
#include <cstddef>
#include <optional>

#include "host/campaign/event.hpp"
#include "host/gui/models/attached_medium.hpp"
#include "host/gui/models/question.hpp"

namespace mediarig::gui {

struct QuestionText {
    QString title;   ///< "Is it genuine?"
    QString answer;  ///< information that the test gives
    QString erasing; ///< "Erases nothing."
};
[[nodiscard]] QuestionText text_of(Question question);

/// "By block size (quickbench)"; `choice`: index in speed_suites.
[[nodiscard]] QString text_of_speed_suite(std::size_t choice);

/// "about 4 min; writes 2.1 GB, reads 2.1 GB"
[[nodiscard]] QString text_of(const RunEstimate& estimate);

/// "/dev/sdb, usb, serial 0117"; printable.
[[nodiscard]] QString details_of(const AttachedMedium& attached);

/// "On the medium: exfat “HOLIDAY”, 63.9 GB"
[[nodiscard]] QString contents_of(const AttachedMedium& attached);

/// "12 min ± 3 min left"
[[nodiscard]] QString text_of_left(std::chrono::seconds left, std::optional<std::chrono::seconds> within);
/// Remaining time of a whole campaign: "at most 12 min ± 3 min left"
[[nodiscard]] QString text_of(const campaign::TimeLeft& left);

} // namespace mediarig::gui
