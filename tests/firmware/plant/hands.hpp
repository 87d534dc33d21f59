// SPDX-License-Identifier: GPL-3.0-or-later
/// Operates a plant by hand, so that a test reads like the manual operation.
#pragma once

#include <algorithm>
#include <vector>

#include "firmware/plant/plant.hpp"

namespace mediarig::plant {

class Hands {
public:
    explicit Hands(const PlantConfig& config = simulated_plant(8, 2)) : plant(config) {
        set([](Actuators& a) { a.motors_on = a.arm = true; });
        go_x(plant.config().geometry.x_first_pocket);
    }

    Plant plant;

    template <class Change>
    void set(Change change) {
        Actuators actuators = plant.actuators();
        change(actuators);
        plant.set(actuators, plant.now());
    }
    void arm() {
        set([](Actuators& a) { a.arm = false; });
        set([](Actuators& a) { a.arm = true; });
    }
    void wait(std::uint64_t ms) { plant.advance(plant.now() + milliseconds(ms)); }

    /// Steps towards a place by the assumed count. Returns the number of steps without motion.
    int go(rigproto::Axis axis, std::int32_t to, std::uint32_t steps_per_second = 2'000) {
        const std::int32_t distance = to - plant.position(axis);
        int lost = 0;
        for (std::int32_t i = 0; i < std::abs(distance); ++i) {
            const std::int32_t before = plant.position(axis);
            plant.step(axis, distance > 0 ? 1 : -1, plant.now() + 1'000'000'000U / steps_per_second);
            if (plant.position(axis) == before) ++lost;
        }
        return lost;
    }
    int go_x(std::int32_t to) { return go(rigproto::Axis::x, to); }
    int go_z(std::int32_t to) { return go(rigproto::Axis::z, to); }

    void to_pocket(std::uint8_t pocket) {
        const auto& geometry = plant.config().geometry;
        go_x(geometry.x_first_pocket + pocket * geometry.x_pocket_pitch);
    }
    void to_port(std::uint8_t port) {
        const auto& geometry = plant.config().geometry;
        go_x(geometry.x_first_port + port * geometry.x_port_pitch);
    }
    void suck() {
        set([](Actuators& a) { a.pump = true, a.valve = false; });
        wait(200);
    }
    void vent() {
        set([](Actuators& a) { a.pump = false, a.valve = a.jaw_open = true; });
        wait(200);
        set([](Actuators& a) { a.valve = a.jaw_open = false; });
    }
    void pick(std::uint8_t pocket) {
        to_pocket(pocket);
        go_z(plant.config().geometry.z_pocket);
        suck();
        go_z(0);
    }
    void insert(std::uint8_t port) {
        to_port(port);
        go_z(plant.config().geometry.z_port);
        vent();
        go_z(0);
    }
    void pull(std::uint8_t port) {
        to_port(port);
        go_z(plant.config().geometry.z_port);
        suck();
        go_z(0);
    }
    void power(std::uint8_t port, bool on) {
        set([&](Actuators& a) {
            const auto bit = static_cast<std::uint8_t>(1U << port);
            a.ports_on = static_cast<std::uint8_t>(on ? a.ports_on | bit : a.ports_on & ~bit);
        });
    }
    [[nodiscard]] std::uint16_t millivolts(std::uint8_t port) { return plant.sense().ports[port].millivolts; }
    [[nodiscard]] std::uint16_t milliamperes(std::uint8_t port) { return plant.sense().ports[port].milliamperes; }
    [[nodiscard]] std::vector<PlantEvent::Kind> happened() {
        std::vector<PlantEvent::Kind> kinds;
        for (const PlantEvent& event : plant.take_events()) kinds.push_back(event.kind);
        return kinds;
    }
    /// Executes the sentence. Returns "success", or the error of the plant.
    [[nodiscard]] std::string say(std::string_view sentence) {
        const auto said = plant.say(sentence, plant.now());
        return said ? "success" : said.error();
    }
    [[nodiscard]] Card::CardPlace where(std::uint8_t card) const { return plant.cards()[card].where; }
};

} // namespace mediarig::plant
