// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the health of a card in the machine's own slot. Cards answer CMD56 with data that is not a health page in
/// three known ways: constant bytes (sdmon, issue 42), bytes that change from read to read (issue 14), and their sector
/// 0 (issue 18). Each page is therefore read twice and compared with sector 0.
#pragma once

#include <cstdint>

#include "host/base/result.hpp"
#include "host/media/identity/health/card_pages.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Port: commands to a card or an eMMC. Errors: no_permission, no_driver (the node or its host forwards no commands)
/// and no_medium end the query; all others, such as timed_out, are the answer of a card that does not support the
/// command.
class CardCommands {
public:
    virtual ~CardCommands() = default;
    /// CMD56 in the direction from the card. Bit 0 of `argument` is 1.
    [[nodiscard]] virtual Result<HealthPage> general_read(std::uint32_t argument) = 0;
    /// CMD56 in the direction to the card, with a block of zeros. Bit 0 of `argument` is 0. Writes no sector.
    [[nodiscard]] virtual Result<void> general_write(std::uint32_t argument) = 0;
    /// CMD8 of an eMMC.
    [[nodiscard]] virtual Result<HealthPage> ext_csd() = 0;
    /// The first 512 bytes of the medium.
    [[nodiscard]] virtual Result<HealthPage> first_sector() = 0;
};

/// Queries the health of a medium for which may_have_card_health() is true. Sends the reading arguments of all layouts
/// to a card. Only cards with a maker id of Kingston (0x41, 0x9F) or Phison (0x27) receive the two-step request,
/// because it sends a block of data, whose meaning other makers do not publish. Failures are described in the result.
[[nodiscard]] CardHealth read_card_health(CardCommands& card, const Medium& medium);

/// Values that all layouts have in common. `command`: see CardHealth.
[[nodiscard]] CardHealth health_of(const CardPage& page, std::string command);
[[nodiscard]] CardHealth health_of(const ExtCsdHealth& health);

} // namespace mediarig::media
