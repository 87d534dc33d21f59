// SPDX-License-Identifier: GPL-3.0-or-later
/// The command sequences that put media into slots and take them out. Pure: what QEMU is told, in which order.
#pragma once

#include <string>
#include <vector>

#include "host/lab/machine/slot_layout.hpp"
#include "host/lab/qmp/qmp_message.hpp"

namespace mediarig::lab {

/// The block nodes of a medium, the lowest first: the card, and a throttle above it that is there from the start,
/// so that limits and errors need no re-plug.
[[nodiscard]] std::vector<QmpCommand> add_nodes(const PlacedSlot& slot, const LabMedium& medium);

/// What the guest sees as the plug, when the nodes are there. Several commands where the device consists of several.
[[nodiscard]] std::vector<QmpCommand> show(const PlacedSlot& slot, const LabMedium& medium);
/// What the guest sees as the medium being pulled, without warning.
[[nodiscard]] std::vector<QmpCommand> take_away(const PlacedSlot& slot);
/// The device of which QEMU reports DEVICE_DELETED after take_away(); empty where only a medium changes.
[[nodiscard]] std::string deleted_device(const PlacedSlot& slot);

/// A node above the card that fails the given operations.
[[nodiscard]] QmpCommand add_errors(const PlacedSlot& slot, const std::vector<InjectedError>& errors,
                                    std::uint64_t generation);
/// Puts the throttle above `below` while the device works.
[[nodiscard]] QmpCommand put_throttle_above(const PlacedSlot& slot, const std::string& below, bool read_only);
[[nodiscard]] QmpCommand delete_node(const std::string& node);
[[nodiscard]] QmpCommand set_limits(const PlacedSlot& slot, const Limits& limits);
/// Cuts the connection to an NBD server without a flush, so that the card keeps what it had not been told to keep.
[[nodiscard]] QmpCommand sever(const PlacedSlot& slot);

/// Whether the guest has a say in a removal, and a device that it uses may be flushed on the way out.
[[nodiscard]] bool leaves_with_consent(const PlacedSlot& slot);

/// At the start: the reader shows itself when all its slots are there.
[[nodiscard]] QmpCommand attach_reader();

/// Why this medium cannot be in this slot; for SD, `size` has to be a power of two.
[[nodiscard]] Result<void> check_fits(const PlacedSlot& slot, const LabMedium& medium, Bytes size);

} // namespace mediarig::lab
