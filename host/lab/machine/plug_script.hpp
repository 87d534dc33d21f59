// SPDX-License-Identifier: GPL-3.0-or-later
/// Command sequences that insert media into slots and remove them. Pure: QEMU commands in their order.
#pragma once

#include <string>
#include <vector>

#include "host/lab/machine/slot_layout.hpp"
#include "host/lab/qmp/qmp_message.hpp"

namespace mediarig::lab {

/// Returns the block nodes of a medium, the lowest first: the card, and a throttle above it. The throttle exists from
/// the start, so that limits and errors need no re-plug.
[[nodiscard]] std::vector<QmpCommand> add_nodes(const PlacedSlot& slot, const LabMedium& medium);

/// Returns the commands that make the medium visible to the guest, for use after add_nodes(). Several commands if the
/// device consists of several.
[[nodiscard]] std::vector<QmpCommand> show(const PlacedSlot& slot, const LabMedium& medium);
/// Returns the commands for a surprise removal, as seen by the guest.
[[nodiscard]] std::vector<QmpCommand> surprise_removal(const PlacedSlot& slot);
/// Returns the device for which QEMU reports DEVICE_DELETED after surprise_removal(); empty if only a medium changes.
[[nodiscard]] std::string deleted_device(const PlacedSlot& slot);

/// Adds a node above the card that fails the given operations.
[[nodiscard]] QmpCommand add_errors(const PlacedSlot& slot, const std::vector<InjectedError>& errors,
                                    std::uint64_t generation);
/// Puts the throttle above `below` while the device is in use.
[[nodiscard]] QmpCommand put_throttle_above(const PlacedSlot& slot, const std::string& below, bool read_only);
[[nodiscard]] QmpCommand delete_node(const std::string& node);
[[nodiscard]] QmpCommand set_limits(const PlacedSlot& slot, const Limits& limits);
/// Cuts the connection to an NBD server without a flush, so that the card model keeps its unflushed state.
[[nodiscard]] QmpCommand sever(const PlacedSlot& slot);

/// True if the guest must consent to a removal; a device in use may then be flushed on removal.
[[nodiscard]] bool leaves_with_consent(const PlacedSlot& slot);

/// Returns the command that makes the reader visible at the start of the machine, when all slots of the reader exist.
[[nodiscard]] QmpCommand attach_reader();

/// Fails if this medium does not fit into this slot; for SD, `size` must be a power of two.
[[nodiscard]] Result<void> check_fits(const PlacedSlot& slot, const LabMedium& medium, Bytes size);

} // namespace mediarig::lab
