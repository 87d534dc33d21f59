// SPDX-License-Identifier: GPL-3.0-or-later
/// What the rig's identity nest read of a card, as the identity of a medium. Pure.
///
/// The board has looked at every checksum: a register that it tells is the one that the card sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::rig {

struct NestReading {
    rigproto::NestReply report;
    rigproto::NestRegistersReply registers;
    bool operator==(const NestReading&) const = default;
};

/// Stable names, for JSON: "no_card". A number that has no name: "unlisted".
[[nodiscard]] std::string_view name_of(rigproto::NestEnd end);
[[nodiscard]] std::string_view name_of(rigproto::RegisterState state);
[[nodiscard]] std::string_view name_of(rigproto::NestSupply supply);

/// One register and how reading it went.
struct NestRegister {
    std::string_view name; ///< "CID", "CSD", "SCR", "SSR"
    rigproto::RegisterState state{};
};
[[nodiscard]] std::vector<NestRegister> registers_of(const rigproto::NestReply& report);

/// Whether it says something of a card: one that cannot be read is a finding, one that is not there is none.
[[nodiscard]] bool is_about_a_card(const rigproto::NestReply& report);
/// Whether all four registers were read.
[[nodiscard]] bool is_whole(const rigproto::NestReply& report);

/// Why there is nothing to see and what to do: "the card on the nest gives no answer to CMD8; …". Empty where the
/// reading was gone through.
[[nodiscard]] std::string explain(const rigproto::NestReply& report);
/// The same for one register: "CSD: wrong checksum". Empty where it was read.
[[nodiscard]] std::string explain(const NestRegister& one);

/// Why there is no current though the card had supply. Empty where there is nothing to say.
[[nodiscard]] std::string explain(rigproto::NestSupply supply);

/// Registers that were read, decoded, and the supply current where it was measured; the others stay empty.
[[nodiscard]] media::SdIdentity sd_identity(const NestReading& reading);

} // namespace mediarig::rig
