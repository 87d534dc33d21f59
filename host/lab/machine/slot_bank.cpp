// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/slot_bank.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <utility>

#include "host/lab/machine/preflight.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr auto in_use_for = std::chrono::seconds(2);
constexpr auto between_removals = std::chrono::milliseconds(20);

tl::unexpected<Error> wrong(const PlacedSlot& slot, std::string_view why) {
    return fail(Errc::bad_request, fmt::format("slot {} ({}) {}", slot.slot.id.number, name_of(slot.slot.kind), why));
}

Error about(const PlacedSlot& slot, const LabMedium& medium, Error error) {
    if (error.detail.find(" lock") != std::string::npos && error.detail.find("Failed to get") != std::string::npos)
        error.detail = "the image is in use by another slot or another program: " + error.detail;
    error.detail = fmt::format("slot {} ({}), {}: {}", slot.slot.id.number, name_of(slot.slot.kind), medium.source.path,
                               error.detail);
    return error;
}

} // namespace

/// Releases the slot when the call ends.
class SlotBank::Turn {
public:
    Turn(std::map<SlotId, bool>& busy, SlotId slot) : busy_(busy[slot]) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { busy_ = false; }

private:
    bool& busy_;
};

const InsertedMedium* SlotBank::held(SlotId slot) const {
    const auto found = held_.find(slot);
    return found == held_.end() ? nullptr : &found->second;
}

Result<const PlacedSlot*> SlotBank::find(SlotId slot) const {
    if (const PlacedSlot* placed = layout_.find(slot)) return placed;
    return fail(Errc::bad_request, fmt::format("the virtual machine has no slot {}", slot.number));
}

Result<const PlacedSlot*> SlotBank::take_turn(SlotId slot) {
    auto placed = find(slot);
    if (!placed) return placed;
    if (std::exchange(busy_[slot], true)) return wrong(**placed, "is busy: wait for the previous command");
    return placed;
}

asio::awaitable<Result<void>> SlotBank::tell(std::vector<QmpCommand> commands) {
    for (QmpCommand& command : commands) {
        auto done = co_await qmp_.execute(std::move(command), patience_.command);
        if (!done) co_return fail(std::move(done.error()));
    }
    co_return Result<void>{};
}

asio::awaitable<Result<void>> SlotBank::plug(SlotId id, LabMedium medium) {
    const auto slot = take_turn(id);
    if (!slot) co_return fail(slot.error());
    const Turn turn(busy_, id);
    if (held(id) != nullptr) co_return wrong(**slot, "already has a medium: unplug it first");
    const LabMedium named = medium;
    auto done = co_await plug(**slot, std::move(medium));
    if (!done) co_return fail(about(**slot, named, std::move(done.error())));
    co_return Result<void>{};
}

asio::awaitable<Result<void>> SlotBank::plug(const PlacedSlot& slot, LabMedium medium) {
    if (medium.source.kind == MediumSource::Kind::raw_file) {
        const auto size = size_of_image(medium.source.path);
        if (!size) co_return fail(size.error());
    } else if (medium.source.path.size() > longest_socket_path) {
        co_return fail(Errc::bad_request,
                       fmt::format("the socket path is longer than the allowed {} bytes", longest_socket_path));
    }
    auto added = co_await tell(add_nodes(slot, medium));
    Result<Bytes> size = Bytes{};
    if (added) {
        size = co_await size_of(slot.throttle_node());
        added = size ? check_fits(slot, medium, *size) : Result<void>(fail(size.error()));
    }
    if (added) added = co_await tell(show(slot, medium));
    if (!added) {
        // Undo the completed steps. Errors are ignored: some nodes may not exist.
        for (QmpCommand& command : surprise_removal(slot)) {
            const auto ignored = co_await qmp_.execute(std::move(command), patience_.command);
        }
        const auto ignored = co_await remove_nodes(slot, 0);
        co_return added;
    }
    held_[slot.slot.id] = InsertedMedium{std::move(medium), *size};
    co_return Result<void>{};
}

asio::awaitable<Result<void>> SlotBank::unplug(SlotId id, Cut cut) {
    const auto slot = take_turn(id);
    if (!slot) co_return fail(slot.error());
    const Turn turn(busy_, id);
    if (held(id) == nullptr) co_return wrong(**slot, "is empty");
    co_return co_await unplug(**slot, cut);
}

asio::awaitable<Result<void>> SlotBank::unplug(const PlacedSlot& slot, Cut cut) {
    const InsertedMedium medium = held_[slot.slot.id];
    const bool severs = cut == Cut::device_and_card && medium.medium.source.kind == MediumSource::Kind::nbd_socket;
    // Cut the connection first: otherwise the guest would have the card flushed.
    if (severs && leaves_with_consent(slot)) {
        auto severed = co_await qmp_.execute(sever(slot), patience_.command);
        if (!severed) co_return fail(std::move(severed.error()));
    }
    auto gone = co_await tell(surprise_removal(slot));
    if (!gone) co_return gone;
    // From here on the guest has lost the device, even if a later step fails.
    held_.erase(slot.slot.id);
    if (const std::string device = deleted_device(slot); !device.empty()) {
        std::function<bool(const QmpEvent&)> is_removal = [device](const QmpEvent& event) {
            return event.name == "DEVICE_DELETED" && event.data.value("device", "") == device;
        };
        std::string what = "the removal of " + device;
        auto deleted = co_await qmp_.wait_for(std::move(is_removal), std::move(what), patience_.vanish);
        if (!deleted) co_return fail(std::move(deleted.error()));
    }
    if (severs && !leaves_with_consent(slot)) {
        // Cut the connection first: deleting a node flushes it, so the card would keep data that a power cut must lose.
        auto severed = co_await qmp_.execute(sever(slot), patience_.command);
        if (!severed) co_return fail(std::move(severed.error()));
    }
    co_return co_await remove_nodes(slot, medium.errors);
}

asio::awaitable<Result<void>> SlotBank::remove_node(std::string node) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    const auto until = std::chrono::steady_clock::now() + in_use_for;
    while (true) {
        auto removed = co_await qmp_.execute(delete_node(node), patience_.command);
        if (removed) co_return Result<void>{};
        if (std::chrono::steady_clock::now() >= until || removed.error().detail.find("in use") == std::string::npos)
            co_return fail(std::move(removed.error()));
        pause.expires_after(between_removals);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<Result<void>> SlotBank::remove_nodes(const PlacedSlot& slot, std::uint64_t errors) {
    auto removed = co_await remove_node(slot.throttle_node());
    if (errors != 0) {
        auto injector = co_await remove_node(slot.error_node(errors));
        if (removed) removed = std::move(injector);
    }
    auto card = co_await remove_node(slot.card_node());
    if (removed) removed = std::move(card);
    co_return removed;
}

asio::awaitable<Result<Bytes>> SlotBank::size_of(std::string node) {
    QmpCommand ask{"query-named-block-nodes", {{"flat", true}}};
    const auto nodes = co_await qmp_.execute(std::move(ask), patience_.command);
    if (!nodes) co_return fail(nodes.error());
    if (nodes->is_array()) {
        for (const json& found : *nodes) {
            if (!found.is_object() || found.value("node-name", "") != node || !found.contains("image")) continue;
            co_return Bytes{found["image"].value("virtual-size", std::uint64_t{0})};
        }
    }
    co_return fail(Errc::rig_fault, fmt::format("QEMU does not report the size of {}", node));
}

asio::awaitable<Result<void>> SlotBank::throttle(SlotId id, Limits limits) {
    const auto slot = find(id);
    if (!slot) co_return fail(slot.error());
    std::vector<QmpCommand> commands{set_limits(**slot, limits)};
    co_return co_await tell(std::move(commands));
}

asio::awaitable<Result<void>> SlotBank::inject_errors(SlotId id, std::vector<InjectedError> errors) {
    const auto slot = take_turn(id);
    if (!slot) co_return fail(slot.error());
    const Turn turn(busy_, id);
    if ((*slot)->slot.kind == SlotKind::sd)
        co_return wrong(**slot,
                        "cannot have injected errors: the virtual SD card reports success despite them; use a reader, "
                        "usb or uas slot");
    if (held(id) == nullptr) co_return wrong(**slot, "is empty: errors need a medium");
    co_return co_await inject(**slot, std::move(errors));
}

asio::awaitable<Result<void>> SlotBank::inject(const PlacedSlot& slot, std::vector<InjectedError> errors) {
    InsertedMedium& medium = held_[slot.slot.id];
    const std::uint64_t before = medium.errors;
    const std::uint64_t now = errors.empty() ? 0 : ++generation_;
    if (now == 0 && before == 0) co_return Result<void>{};
    std::vector<QmpCommand> commands;
    if (now != 0) commands.push_back(add_errors(slot, errors, now));
    commands.push_back(
        put_throttle_above(slot, now != 0 ? slot.error_node(now) : slot.card_node(), medium.medium.read_only));
    auto done = co_await tell(std::move(commands));
    if (!done) co_return done;
    medium.errors = now;
    if (before != 0) co_return co_await remove_node(slot.error_node(before));
    co_return Result<void>{};
}

} // namespace mediarig::lab
