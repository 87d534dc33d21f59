// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a reading of the rig's identity nest to the identity of a medium. Pure.
///
/// The board has checked all checksums: a register in its report is the one that the card sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/base/enum_names.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::rigproto {

using mediarig::name_of;
BOOST_DESCRIBE_ENUM(NestEnd, none, reading, finished, no_card, no_answer, damaged, not_sd, wrong_voltage, never_ready,
                    interrupted)
BOOST_DESCRIBE_ENUM(RegisterState, not_asked, read, no_answer, no_data, damaged)
BOOST_DESCRIBE_ENUM(NestSupply, none, measured, offset)

} // namespace mediarig::rigproto

namespace mediarig::rig {

using mediarig::name_of;

struct NestReading {
    rigproto::NestReply report;
    rigproto::NestRegistersReply registers;
    bool operator==(const NestReading&) const = default;
};

/// One register and the result of reading it.
struct NestRegister {
    std::string_view name; ///< "CID", "CSD", "SCR", "SSR"
    rigproto::RegisterState state{};
};
[[nodiscard]] std::vector<NestRegister> registers_of(const rigproto::NestReply& report);

/// True if the report concerns a card: an unreadable card is a finding, a missing one is not.
[[nodiscard]] bool is_about_a_card(const rigproto::NestReply& report);
/// True if all four registers were read.
[[nodiscard]] bool is_whole(const rigproto::NestReply& report);

/// Explains a failed reading and the remedy: "the card on the nest does not answer CMD8; …". Empty if the reading
/// was completed.
[[nodiscard]] std::string explain(const rigproto::NestReply& report);
/// Explains the result for one register: "CSD: wrong checksum". Empty if it was read.
[[nodiscard]] std::string explain(const NestRegister& one);

/// Explains a missing current value of a card that had supply. Empty if there is nothing to explain.
[[nodiscard]] std::string explain(rigproto::NestSupply supply);

/// Decodes the registers that were read, and the supply current if measured; other members stay empty.
[[nodiscard]] media::SdIdentity sd_identity(const NestReading& reading);

} // namespace mediarig::rig
