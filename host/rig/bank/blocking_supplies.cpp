// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/bank/blocking_supplies.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "host/rig/power/enclosure/detach_sequence.hpp"
#include "host/rig/power/hub/hub_qualification.hpp"

namespace mediarig::rig {
namespace {

namespace asio = boost::asio;

/// True if the hub reports power on any half of the port.
Result<bool> any_half_is_on(PortSwitch& ports, const UsbPort& port) {
    const auto halves = halves_of(port);
    if (!halves) return fail(halves.error());
    for (const UsbPort& half : *halves) {
        const auto state = ports.state(half);
        if (!state) return fail(state.error());
        if (state->powered) return true;
    }
    return false;
}

} // namespace

// --- hubs ---

asio::awaitable<Result<bool>> HubSupply::is_on() {
    return thread_.ask<bool>([ports = ports_, port = port_] { return any_half_is_on(*ports, port); });
}

asio::awaitable<Result<Supply::Ramp>> HubSupply::on() {
    return thread_.ask<Ramp>([ports = ports_, port = port_]() -> Result<Ramp> {
        if (auto on = power_hub_port(*ports, port, true); !on) return fail(std::move(on.error()));
        return Ramp{};
    });
}

asio::awaitable<Result<Evidence>> HubSupply::off(const std::string& /*disk*/) {
    return thread_.ask<Evidence>([ports = ports_, port = port_]() -> Result<Evidence> {
        if (auto off = power_hub_port(*ports, port, false); !off) return fail(std::move(off.error()));
        return Evidence{};
    });
}

asio::awaitable<std::optional<Error>> HubSupply::rig_fault() {
    auto on = co_await is_on();
    if (!on) co_return Error{Errc::rig_fault, on.error().detail};
    if (!*on)
        co_return Error{Errc::rig_fault, fmt::format("hub {} reports that port {} lost its power while it was in use",
                                                     port_.hub, port_.number)};
    co_return std::nullopt;
}

Result<std::vector<std::string>> HubSupply::places() const {
    const auto halves = halves_of(port_);
    if (!halves) return fail(halves.error());
    std::vector<std::string> places;
    for (const UsbPort& half : *halves) places.push_back(half.path());
    return places;
}

Result<std::vector<std::string>> HubSupply::hubs() const {
    const auto halves = halves_of(port_);
    if (!halves) return fail(halves.error());
    std::vector<std::string> hubs;
    for (const UsbPort& half : *halves) hubs.push_back(half.hub);
    return hubs;
}

// --- plugs ---

struct PlugSupply::Line {
    PlugAddress address;
    PlugSetup setup;
    std::optional<MainsPlug> plug;

    /// Drops the connection after a failure; the next call opens a new connection.
    template <class T, class Use>
    Result<T> with(Use use) {
        if (!plug) {
            auto connected = MainsPlug::connect(address, setup);
            if (!connected) return fail(std::move(connected.error()));
            plug.emplace(std::move(*connected));
        }
        Result<T> answer = use(*plug);
        if (!answer && answer.error().code == Errc::io_failed) plug.reset();
        return answer;
    }
};

PlugSupply::PlugSupply(PlugAddress plug, PlugSetup setup, asio::any_io_executor executor)
    : address_(std::move(plug)),
      line_(std::make_shared<Line>(Line{.address = address_, .setup = setup, .plug = {}})),
      thread_(std::move(executor), {}) {}

asio::awaitable<Result<bool>> PlugSupply::is_on() {
    return thread_.ask<bool>([line = line_] {
        return line->with<double>([](MainsPlug& plug) { return plug.watts(); }).map([](double watts) {
            return watts >= dead_watts;
        });
    });
}

asio::awaitable<Result<Supply::Ramp>> PlugSupply::on() {
    return thread_.ask<Ramp>([line = line_] {
        return line->with<double>([](MainsPlug& plug) { return plug.set(true); }).map([](double) { return Ramp{}; });
    });
}

asio::awaitable<Result<Evidence>> PlugSupply::off(const std::string& /*disk*/) {
    return thread_.ask<Evidence>([line = line_] {
        return line->with<double>([](MainsPlug& plug) { return plug.set(false); }).map([](double watts) {
            return Evidence{.vanished = {}, .supply = {}, .plug_watts = watts};
        });
    });
}

// --- enclosures ---

struct ThunderboltSupply::Cable {
    std::shared_ptr<const Setup> setup;
    asio::any_io_executor executor;
    std::optional<MainsPlug> plug;
    std::optional<Enclosure> last; ///< state before the enclosure disappeared

    [[nodiscard]] rig::EnclosureSupply kind() const {
        return setup->power.plug ? rig::EnclosureSupply::plug : rig::EnclosureSupply::person;
    }
    [[nodiscard]] Result<std::optional<Enclosure>> look() {
        const auto all = find_enclosures();
        if (!all) return fail(all.error());
        const auto found = std::ranges::find(*all, setup->power.unique_id, &Enclosure::unique_id);
        if (found == all->end()) return std::optional<Enclosure>{};
        last = *found;
        return last;
    }
    [[nodiscard]] Enclosure known() const {
        if (last) return *last;
        Enclosure enclosure;
        enclosure.unique_id = setup->power.unique_id;
        enclosure.vendor = "enclosure";
        enclosure.device = setup->power.unique_id;
        return enclosure;
    }
    [[nodiscard]] EnclosureActions hands(const std::string& disk) {
        EnclosureActions hands;
        // The caller has checked that nothing on the disk is in use.
        hands.quiesce = []() -> Result<void> {
            ::sync();
            return {};
        };
        if (!disk.empty()) hands.disks = {disk};
        hands.plug = [this](bool on) -> Result<double> {
            if (!plug) {
                auto connected = MainsPlug::connect(*setup->power.plug, setup->plug);
                if (!connected) return fail(std::move(connected.error()));
                plug.emplace(std::move(*connected));
            }
            return plug->set(on);
        };
        hands.person = [this](const std::string& request) -> Result<void> {
            asio::post(executor, [setup = setup, request] { setup->tell(request); });
            return {};
        };
        hands.tell = [](EnclosureStep) {};
        const bool person = kind() == rig::EnclosureSupply::person;
        hands.gone_within = person ? setup->person_within : setup->gone_within;
        hands.back_within = person ? setup->person_within : setup->back_within;
        hands.poll_interval = setup->poll_interval;
        hands.boltctl = setup->boltctl;
        return hands;
    }
};

ThunderboltSupply::ThunderboltSupply(Setup setup, asio::any_io_executor executor)
    : setup_(std::make_shared<const Setup>(std::move(setup))),
      cable_(std::make_shared<Cable>(Cable{.setup = setup_, .executor = executor, .plug = {}, .last = {}})),
      thread_(std::move(executor), {}) {}

asio::awaitable<Result<bool>> ThunderboltSupply::is_on() {
    return thread_.ask<bool>([cable = cable_]() -> Result<bool> {
        const auto seen = cable->look();
        if (!seen) return fail(seen.error());
        return seen->has_value();
    });
}

asio::awaitable<Result<Supply::Ramp>> ThunderboltSupply::on() {
    return thread_.ask<Ramp>([cable = cable_]() -> Result<Ramp> {
        auto attached = attach_enclosure(cable->known(), cable->kind(), cable->hands({}));
        if (!attached) return fail(std::move(attached.error()));
        return Ramp{};
    });
}

asio::awaitable<Result<Evidence>> ThunderboltSupply::off(const std::string& disk) {
    return thread_.ask<Evidence>([cable = cable_, disk]() -> Result<Evidence> {
        const auto seen = cable->look();
        if (!seen) return fail(seen.error());
        if (!*seen)
            return fail(Errc::no_medium, fmt::format("enclosure {} is not on the bus", cable->setup->power.unique_id));
        const auto detached = detach_enclosure(**seen, cable->kind(), cable->hands(disk));
        if (!detached) return fail(detached.error());
        return detached->evidence();
    });
}

} // namespace mediarig::rig
