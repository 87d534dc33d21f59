// SPDX-License-Identifier: GPL-3.0-or-later
/// Registers of a card in a USB reader that passes them on: Microchip's USB2640, USB2641 and USB2642, which are in
/// USB-SD-Mux. Their command is the maker's own: operation 0xCF with the register's number. The last byte of the CID,
/// its checksum, comes as zero, and the card's status cannot be asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/identity_values.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// By its USB id.
[[nodiscard]] bool passes_registers_on(const UsbIdentity& reader);

/// Sends a SCSI command of 16 bytes and gives what came back, at most `length` bytes. Fails with io_failed.
using ScsiRead =
    std::function<Result<std::vector<std::uint8_t>>(std::span<const std::uint8_t, 16> command, std::size_t length)>;

/// What the card says, decoded; registers that could not be read stay empty. Nothing where none could, or all bytes of
/// the CID are alike: no card. Whether that is a reader of this kind is the caller's to know.
[[nodiscard]] std::optional<SdIdentity> read_card_registers(const ScsiRead& read);

/// Through SG_IO of an open node.
[[nodiscard]] ScsiRead scsi_read_of(int descriptor);

/// The card in the reader that `medium` stands for; nothing where the reader is of another kind, where the node is not
/// that medium any more, and where nothing could be read.
[[nodiscard]] std::optional<SdIdentity> card_in_reader(const Medium& medium);

} // namespace mediarig::media
