// SPDX-License-Identifier: GPL-3.0-or-later
/// The two implementations behind Pattern. Inner part.
#pragma once

#include "host/workload/pattern.hpp"

namespace mediarig::workload::detail {

struct PatternCode {
    void (*fill)(const Pattern::Keys&, std::span<std::byte>, std::uint64_t offset);
    bool (*matches)(const Pattern::Keys&, std::span<const std::byte>, std::uint64_t offset);
};

extern const PatternCode portable_code;
/// Null pointers where the target has no such instructions; call only if aes_instructions_present().
extern const PatternCode aes_code;
[[nodiscard]] bool aes_instructions_present();

} // namespace mediarig::workload::detail
