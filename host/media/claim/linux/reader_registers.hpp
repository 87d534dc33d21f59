// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the registers of a card in a USB reader that passes them on: Microchip's USB2640, USB2641 and USB2642, used in
/// USB-SD-Mux. The command is vendor-specific: operation 0xCF with the register number. The last byte of the CID, its
/// checksum, is always zero, and the card status is not available.
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

/// True if readers with this USB id return the registers of a card.
[[nodiscard]] bool passes_registers_on(const UsbIdentity& reader);

/// Sends a SCSI command of 16 bytes and returns at most `length` bytes of data. Fails with io_failed.
using ScsiRead =
    std::function<Result<std::vector<std::uint8_t>>(std::span<const std::uint8_t, 16> command, std::size_t length)>;

/// Decoded registers of the card; unreadable registers stay empty. Empty if no register could be read or all bytes of
/// the CID are equal (no card). The caller must check that the reader supports the command.
[[nodiscard]] std::optional<SdIdentity> read_card_registers(const ScsiRead& read);

/// Sends commands by SG_IO through an open node.
[[nodiscard]] ScsiRead scsi_read_of(int descriptor);

/// Registers of the card in the reader of `medium`; empty if the reader is of another kind, if the node is no longer
/// this medium, or if no register could be read.
[[nodiscard]] std::optional<SdIdentity> card_in_reader(const Medium& medium);

} // namespace mediarig::media
