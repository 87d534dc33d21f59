// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests to a running lab and their lines: one JSON object and one answer per line. Pure. See docs/guide/lab.md.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/lab/card/control.hpp"
#include "host/lab/machine/slot.hpp"

namespace mediarig::lab {

struct AskStatus {};
struct PlugCard {
    std::string card;             ///< of the catalogue, or the absolute path of a description
    std::optional<SlotId> slot;   ///< nothing: the first free one of the kind
    std::optional<SlotKind> kind; ///< nothing: the slot's own; with neither, usb
    std::optional<Bytes> size;
    std::optional<std::uint64_t> seed;
};
struct UnplugCard {
    SlotId slot;
};
struct CutPower {
    SlotId slot;
    Loss lose{Loss::all};
};
/// What a card model's own control socket takes, except that power is the slot's affair.
struct OrderCard {
    SlotId slot;
    CardCommand order;
};
struct RunScript {
    std::string script;
};
/// The connection is the line to the guest's agent from the answer on.
struct UseAgent {};
/// Answered when nothing is left.
struct StopLab {};
using LabRequest = std::variant<AskStatus, PlugCard, UnplugCard, CutPower, OrderCard, RunScript, UseAgent, StopLab>;

/// Both without a line break.
[[nodiscard]] std::string request_line(const LabRequest& request);
/// Fails with bad_request.
[[nodiscard]] Result<LabRequest> parse_request(std::string_view line);

/// An answer is an object with "ok"; where that is false, "code" and "error" say why. With its line break.
[[nodiscard]] std::string answer_line(const Result<nlohmann::json>& answer);
/// Fails with what the lab failed with, or with bad_format.
[[nodiscard]] Result<nlohmann::json> parse_lab_answer(std::string_view line);

} // namespace mediarig::lab
