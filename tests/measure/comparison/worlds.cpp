// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/measure/comparison/worlds.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

namespace mediarig::comparison_worlds {
namespace {

/// Default noise of a pass.
constexpr double usual_noise = 0.015;

/// `level` of the pass with this number (from 0), plus noise.
class Stream : public Card {
public:
    using Level = std::function<double(std::size_t number, std::size_t format, Draws&)>;
    explicit Stream(Level level, std::array<double, 2> noise = {usual_noise, usual_noise})
        : level_(std::move(level)), noise_(noise) {}
    double pass(std::size_t format, Draws& draws) override {
        return level_(number_++, format, draws) + noise_.at(format) * draws.normal();
    }

private:
    Level level_;
    std::array<double, 2> noise_;
    std::size_t number_{};
};

std::unique_ptr<Card> scattering(double first, double second) {
    return std::make_unique<Stream>([](std::size_t, std::size_t, Draws&) { return 0.0; }, std::array{first, second});
}

std::unique_ptr<Card> wandering(Draws& begin) {
    constexpr double memory = 0.9, spread = 0.05;
    return std::make_unique<Stream>([state = spread * begin.normal()](std::size_t, std::size_t, Draws& draws) mutable {
        state = memory * state + spread * std::sqrt(1 - memory * memory) * draws.normal();
        return state;
    });
}

std::unique_ptr<Card> warming_up(Draws&) {
    return std::make_unique<Stream>([](std::size_t number, std::size_t, Draws&) {
        return std::log(0.99) * static_cast<double>(std::min<std::size_t>(number, 24));
    });
}

std::unique_ptr<Card> throttled(Draws& begin) {
    const auto from = static_cast<std::size_t>(begin.uniform() * 24);
    return std::make_unique<Stream>(
        [from](std::size_t number, std::size_t, Draws&) { return number < from ? 0.0 : std::log(0.74); });
}

/// Each pass writes a part of a cache with space for six. The card cleans up at random times.
std::unique_ptr<Card> cached(Draws&) {
    return std::make_unique<Stream>([written = 0](std::size_t, std::size_t, Draws& draws) mutable {
        if (draws.chance(0.25)) written = 0;
        return ++written > 6 ? std::log(0.6) : 0.0;
    });
}

std::unique_ptr<Card> carrying_over(Draws&) {
    return std::make_unique<Stream>([before = std::size_t{1}](std::size_t, std::size_t format, Draws&) mutable {
        const double left_behind = before == 0 ? std::log(0.96) : 0.0;
        before = format;
        return left_behind;
    });
}

std::unique_ptr<Card> spiky(Draws&) {
    return std::make_unique<Stream>([](std::size_t, std::size_t, Draws& draws) {
        return draws.chance(0.05) ? -std::log1p(draws.exponential(0.35)) : 0.0;
    });
}

/// The card reports rates in steps of 1 %.
class Stepped : public Card {
public:
    double pass(std::size_t, Draws& draws) override { return std::round(usual_noise * draws.normal() / step) * step; }
    static constexpr double step = 0.01;
};

std::unique_ptr<Card> in_two_modes(Draws& begin) {
    return std::make_unique<Stream>([slow = begin.chance(0.5)](std::size_t, std::size_t, Draws& draws) mutable {
        if (draws.chance(0.25)) slow = !slow;
        return slow ? std::log(0.88) : 0.0;
    });
}

std::unique_ptr<Card> fresh(Draws&) {
    return std::make_unique<Stream>(
        [](std::size_t number, std::size_t, Draws&) { return number < 2 ? std::log(1.15) : 0.0; });
}

std::unique_ptr<Card> keeping_house(Draws& begin) {
    const auto phase = static_cast<std::size_t>(begin.uniform() * 4);
    return std::make_unique<Stream>(
        [phase](std::size_t number, std::size_t, Draws&) { return number % 4 == phase ? std::log(0.94) : 0.0; });
}

/// Of `period` passes, the first `slow` are slower by `percent`, from a random phase on, e.g. an SLC cache that the
/// other passes fill. The scatter of a pass is `permille`.
template <std::size_t period, std::size_t slow, int percent, int permille>
std::unique_ptr<Card> in_levels(Draws& begin) {
    const auto phase = static_cast<std::size_t>(begin.uniform() * period);
    constexpr double scatter = permille / 1000.0;
    return std::make_unique<Stream>(
        [phase](std::size_t number, std::size_t, Draws&) {
            return (number + phase) % period < slow ? std::log(1 - percent / 100.0) : 0.0;
        },
        std::array{scatter, scatter});
}

/// Two levels of two passes each, 15 % apart. With this probability a level lasts one pass more or less.
template <int percent_jittered, int permille>
std::unique_ptr<Card> in_jittered_levels(Draws& begin) {
    constexpr double scatter = permille / 1000.0;
    return std::make_unique<Stream>(
        [slow = begin.chance(0.5), left = 2](std::size_t, std::size_t, Draws& draws) mutable {
            if (left == 0) {
                slow = !slow;
                left = 2;
                if (draws.chance(percent_jittered / 100.0)) left += draws.chance(0.5) ? 1 : -1;
            }
            --left;
            return slow ? std::log(0.85) : 0.0;
        },
        std::array{scatter, scatter});
}

/// Housekeeping slows one pass down after `few` or `many` others.
template <int few, int many, int percent>
std::unique_ptr<Card> bimodal(Draws& begin) {
    constexpr double scatter = 0.003;
    return std::make_unique<Stream>(
        [left = static_cast<int>(begin.uniform() * (many + 1))](std::size_t, std::size_t, Draws& draws) mutable {
            if (left-- > 0) return 0.0;
            left = draws.chance(0.5) ? few : many;
            return std::log(1 - percent / 100.0);
        },
        std::array{scatter, scatter});
}

std::unique_ptr<Card> drifting_in_levels(Draws& begin) {
    const auto phase = static_cast<std::size_t>(begin.uniform() * 4);
    return std::make_unique<Stream>([phase](std::size_t number, std::size_t, Draws&) {
        return ((number + phase) % 4 < 2 ? std::log(0.9) : 0.0) - 0.005 * static_cast<double>(number);
    });
}

constexpr std::array all{
    World{"noise 2 %", 0, [](Draws&) { return scattering(0.02, 0.02); }},
    World{"noise 5 %", 0, [](Draws&) { return scattering(0.05, 0.05); }},
    World{"AR(1) 0.9 of 5 %", 0, wandering},
    World{"warm-up -1 % a pass", 0, warming_up},
    World{"step of -26 %", 0, throttled},
    World{"SLC cliff", 0, cached},
    World{"carry-over -4 %", 0, carrying_over, true, true},
    World{"spikes of 35 %", 0, spiky},
    World{"steps of 1 %", Stepped::step, [](Draws&) -> std::unique_ptr<Card> { return std::make_unique<Stepped>(); }},
    World{"scatter 1 % / 5 %", 0, [](Draws&) { return scattering(0.01, 0.05); }},
    World{"two modes, 12 %", 0, in_two_modes},
    World{"first passes +15 %", 0, fresh},
    World{"levels 1 of 2, 15 %", 0, in_levels<2, 1, 15, 10>, false},
    World{"levels 1 of 2, 30 %", 0, in_levels<2, 1, 30, 10>, false},
    World{"levels 1 of 3, 15 %", 0, in_levels<3, 1, 15, 10>, false},
    World{"levels 2 of 4, 15 %", 0, in_levels<4, 2, 15, 10>, false},
    World{"levels 2 of 4, 5 %", 0, in_levels<4, 2, 5, 3>, false},
    World{"levels 2 of 4, 30 %", 0, in_levels<4, 2, 30, 3>, false},
    World{"levels 1 of 4, 15 %", 0, in_levels<4, 1, 15, 3>, false},
    World{"levels 2 of 5, 15 %", 0, in_levels<5, 2, 15, 10>, false},
    World{"levels 3 of 6, 15 %", 0, in_levels<6, 3, 15, 10>, false},
    World{"levels 3 of 7, 15 %", 0, in_levels<7, 3, 15, 10>, false},
    World{"levels 4 of 8, 15 %", 0, in_levels<8, 4, 15, 10>, false},
    World{"levels 4 of 8, 30 %", 0, in_levels<8, 4, 30, 3>, false},
    World{"levels, jitter 10 %", 0, in_jittered_levels<10, 10>, false},
    World{"levels, jitter 30 %", 0, in_jittered_levels<30, 3>, false},
    World{"housekeeping 1 or 3", 0, bimodal<1, 3, 15>, false},
    World{"housekeeping 1 or 2", 0, bimodal<1, 2, 10>, false},
    World{"drift and levels", 0, drifting_in_levels, false},
    World{"every 4th pass -6 %", 0, keeping_house, false},
};

} // namespace

double Draws::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Draws::exponential(double mean) {
    return -mean * std::log(1 - uniform());
}

std::span<const World> worlds() {
    return all;
}

} // namespace mediarig::comparison_worlds
