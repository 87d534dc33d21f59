// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests to a running lab and their text form: one JSON object and one answer per line. Pure. See docs/guide/lab.md.
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

struct StatusRequest {};
struct PlugCard {
    std::string card;             ///< catalogue name or absolute path of a description
    std::optional<SlotId> slot;   ///< unset: the first free slot of the kind
    std::optional<SlotKind> kind; ///< unset: the kind of the slot; usb if both are unset
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
/// A command for the control socket of a card model. Commands about power are excluded, because they belong to the
/// slot.
struct OrderCard {
    SlotId slot;
    CardCommand order;
};
struct RunScript {
    std::string script;
};
/// After the answer the client's connection leads to the guest's agent.
struct UseAgent {};
/// Answered when everything has been stopped and removed.
struct StopLab {};
using LabRequest = std::variant<StatusRequest, PlugCard, UnplugCard, CutPower, OrderCard, RunScript, UseAgent, StopLab>;

/// Both functions return text without a line break.
[[nodiscard]] std::string request_line(const LabRequest& request);
/// Fails with bad_request.
[[nodiscard]] Result<LabRequest> parse_request(std::string_view line);

/// Returns an object with "ok"; if that is false, "code" and "error" give the reason. The text includes its line break.
[[nodiscard]] std::string answer_line(const Result<nlohmann::json>& answer);
/// Fails with the lab's error, or with bad_format.
[[nodiscard]] Result<nlohmann::json> parse_lab_answer(std::string_view line);

} // namespace mediarig::lab
