// SPDX-License-Identifier: GPL-3.0-or-later
/// The slots of a running machine and their media.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/lab/machine/machine_spec.hpp"
#include "host/lab/machine/plug_script.hpp"
#include "host/lab/machine/slot_layout.hpp"
#include "host/lab/qmp/qmp_client.hpp"

namespace mediarig::lab {

struct InsertedMedium {
    LabMedium medium;
    Bytes size;             ///< size that the guest sees
    std::uint64_t errors{}; ///< generation of the node that injects errors; 0: no such node
};

/// Slot operations of Machine, on the executor of `qmp`. One call at a time per slot: an overlapping call fails with
/// bad_request.
class SlotBank {
public:
    SlotBank(QmpClient& qmp, SlotLayout layout, MachineTimeouts patience)
        : qmp_(qmp), layout_(std::move(layout)), patience_(patience) {}
    SlotBank(const SlotBank&) = delete;
    SlotBank& operator=(const SlotBank&) = delete;

    [[nodiscard]] boost::asio::awaitable<Result<void>> plug(SlotId slot, LabMedium medium);
    enum class Cut : std::uint8_t { device, device_and_card };
    [[nodiscard]] boost::asio::awaitable<Result<void>> unplug(SlotId slot, Cut cut);
    [[nodiscard]] boost::asio::awaitable<Result<void>> throttle(SlotId slot, Limits limits);
    /// An empty list removes all errors.
    [[nodiscard]] boost::asio::awaitable<Result<void>> inject_errors(SlotId slot, std::vector<InjectedError> errors);

    [[nodiscard]] const SlotLayout& layout() const { return layout_; }
    /// Null if the slot is empty.
    [[nodiscard]] const InsertedMedium* held(SlotId slot) const;
    [[nodiscard]] Result<const PlacedSlot*> find(SlotId slot) const;

private:
    /// Marks a slot as busy.
    class Turn;
    [[nodiscard]] Result<const PlacedSlot*> take_turn(SlotId slot);
    boost::asio::awaitable<Result<void>> tell(std::vector<QmpCommand> commands);
    boost::asio::awaitable<Result<void>> plug(const PlacedSlot& slot, LabMedium medium);
    boost::asio::awaitable<Result<void>> unplug(const PlacedSlot& slot, Cut cut);
    boost::asio::awaitable<Result<void>> inject(const PlacedSlot& slot, std::vector<InjectedError> errors);
    boost::asio::awaitable<Result<Bytes>> size_of(std::string node);
    /// Retries while the node is busy: QEMU releases a node shortly after its last use.
    boost::asio::awaitable<Result<void>> remove_node(std::string node);
    boost::asio::awaitable<Result<void>> remove_nodes(const PlacedSlot& slot, std::uint64_t errors);

    QmpClient& qmp_;
    SlotLayout layout_;
    MachineTimeouts patience_;
    std::map<SlotId, InsertedMedium> held_;
    std::map<SlotId, bool> busy_;
    std::uint64_t generation_{0};
};

} // namespace mediarig::lab
