// SPDX-License-Identifier: GPL-3.0-or-later
/// A given payload as text in a plan: "hex:00ff" or "base64:AP8=". Pure. Inner part of host/plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::plan {

/// Nothing if the text is neither, is empty, or is cut off. Base64 with padding, RFC 4648 section 4.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> payload_from(std::string_view text);
/// "base64:…"; the inverse.
[[nodiscard]] std::string payload_text(std::span<const std::uint8_t> bytes);

} // namespace mediarig::plan
