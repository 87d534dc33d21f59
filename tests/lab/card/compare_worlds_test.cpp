// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs comparisons of a format with itself, and comparisons with a planted difference, on the card model's own clock
/// without a kernel. The cards drift, throttle, fill their cache, stall, carry over and collect garbage. On the same
/// cards, also evaluates five passes of each format by one test, as was usual before.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/lab/card/timing.hpp"
#include "tests/catch.hpp"
#include "tests/measure/comparison/campaign.hpp"

namespace mediarig::comparison_worlds {

using namespace mediarig::lab;
using namespace std::chrono_literals;

namespace {

constexpr Bytes pass_volume = 32_MiB, transfer = 512_KiB, card_size = 4_GiB;
constexpr double scatter_of_host = 0.012;

/// A card of 60 MB/s without a fault.
CardConfig plain() {
    CardConfig config{.claimed = card_size, .real = card_size};
    config.command_overhead = 60us;
    config.write = {.rate = Rate{60e6}, .latency = 200us, .random_latency = 1ms};
    return config;
}

/// A limit of the rate in addition to the model, which depends on the number of the pass and on the former format.
using Caps = std::optional<Rate> (*)(std::size_t number, std::optional<std::size_t> before);

class ModelledCard final : public Card {
public:
    ModelledCard(const CardConfig& config, Draws& begin, Caps caps = nullptr)
        : timing_(config), caps_(caps), number_(static_cast<std::size_t>(begin.uniform() * 4)) {
        // Writes a random amount first, so that the card begins at a random point of its periodic activities.
        (void)write(Bytes{static_cast<std::uint64_t>(begin.uniform() * 200) * transfer.count}, begin);
    }
    double pass(std::size_t format, Draws& draws) override {
        timing_.throttle({.read = {}, .write = caps_ != nullptr ? caps_(number_, before_) : std::nullopt});
        ++number_;
        before_ = format;
        now_ += 1s; // formatted, mounted
        const double took = std::chrono::duration<double>(write(pass_volume, draws)).count();
        return -std::log(took) + scatter_of_host * draws.normal();
    }

private:
    std::chrono::nanoseconds write(Bytes volume, Draws& draws) {
        const Moment begun = now_;
        for (Bytes done{}; done < volume; done += transfer) {
            const auto place = static_cast<std::uint64_t>(draws.uniform() * (card_size / transfer));
            now_ += timing_.transfer(Timing::Transfer::write, place * transfer.count, transfer, now_);
        }
        return now_ - begun;
    }

    Timing timing_;
    Caps caps_;
    std::size_t number_;
    std::optional<std::size_t> before_;
    Moment now_{};
};

std::unique_ptr<Card> card_that_drifts(Draws& begin) {
    return std::make_unique<ModelledCard>(plain(), begin, [](std::size_t number, std::optional<std::size_t>) {
        return std::optional(Rate{60e6 * std::pow(0.99, static_cast<double>(std::min<std::size_t>(number, 24)))});
    });
}
std::unique_ptr<Card> card_with_cliff(Draws& begin) {
    CardConfig config = plain();
    config.slc_cache =
        SlcCache{.size = 160_MiB, .direct_rate = Rate{36e6}, .recovery_rate = Rate{20e6}, .recovery_after_idle = 200ms};
    return std::make_unique<ModelledCard>(config, begin);
}
std::unique_ptr<Card> card_that_throttles(Draws& begin) {
    CardConfig config = plain();
    config.thermal = Thermal{.ambient_celsius = 25,
                             .degrees_per_gigabyte = 150,
                             .cooling_time = 40s,
                             .throttle_at_celsius = 45,
                             .resume_at_celsius = 36,
                             .throttled_rate = Rate{44e6}};
    return std::make_unique<ModelledCard>(config, begin);
}
std::unique_ptr<Card> card_that_stalls(Draws& begin) {
    CardConfig config = plain();
    config.start_value = static_cast<std::uint64_t>(begin.uniform() * 1e9);
    config.garbage_collection = GarbageCollection{.every = 400_MiB, .stall = 250ms, .jitter_percent = 95};
    return std::make_unique<ModelledCard>(config, begin);
}
std::unique_ptr<Card> card_that_carries_over(Draws& begin) {
    return std::make_unique<ModelledCard>(plain(), begin, [](std::size_t, std::optional<std::size_t> before) {
        return before == std::size_t{0} ? std::optional(Rate{57.4e6}) : std::nullopt;
    });
}
std::unique_ptr<Card> card_that_keeps_house(Draws& begin) {
    CardConfig config = plain();
    config.garbage_collection = GarbageCollection{.every = pass_volume * 4, .stall = 45ms, .jitter_percent = 0};
    return std::make_unique<ModelledCard>(config, begin);
}

constexpr std::array cards{World{"drift -1 % a pass", 0, card_that_drifts},
                           World{"SLC cache of 160 MiB", 0, card_with_cliff},
                           World{"throttles when hot", 0, card_that_throttles},
                           World{"stalls of 250 ms", 0, card_that_stalls},
                           World{"carry-over -4 %", 0, card_that_carries_over, true, true},
                           World{"every 4th pass -7 %", 0, card_that_keeps_house}};

struct Count {
    std::size_t campaigns{}, first{}, second{}, same{}, passes{};
    void add(const Outcome& outcome) {
        ++campaigns;
        first += outcome.said == Decision::first ? 1 : 0;
        second += outcome.said == Decision::second ? 1 : 0;
        same += outcome.said == Decision::same ? 1 : 0;
        passes += outcome.passes;
    }
    void add(const Count& other) {
        campaigns += other.campaigns;
        first += other.first;
        second += other.second;
        same += other.same;
        passes += other.passes;
    }
    [[nodiscard]] double part(std::size_t of) const { return static_cast<double>(of) / static_cast<double>(campaigns); }
};

Count count_of(const World& world, double effect, std::size_t runs,
               const std::function<Outcome(const World&, double, std::uint64_t)>& campaign) {
    Count count;
    SplitMix seeds(static_cast<std::uint64_t>(effect * 1000) + 11);
    for (std::size_t run = 0; run < runs; ++run) count.add(campaign(world, effect, seeds.next()));
    return count;
}

/// Three standard errors of a share: the amount by which the share may exceed its limit by chance.
double by_chance(double share, std::size_t runs) {
    return 3 * std::sqrt(share * (1 - share) / static_cast<double>(runs));
}

} // namespace

TEST_CASE("comparison: error rates of 420 self-comparisons and 480 planted differences on card models") {
    constexpr std::size_t alike = 70, planted = 20;
    constexpr std::array effects{0.0, 0.02, 0.05, 0.10, 0.20};
    const auto by_rule = [](const World& world, double effect, std::uint64_t seed) {
        return by_the_rule(world, effect, 20, seed);
    };
    fmt::print("{:<24}{:>8}{:>12}{:>8}{:>8}{:>8}{:>8}    | five passes of each format, then one test\n",
               "card model, budget 20", "planted", "campaigns", "first", "second", "same", "passes");
    std::array<Count, effects.size()> all{}, habit{};
    for (const World& world : cards)
        for (std::size_t i = 0; i < effects.size(); ++i) {
            const std::size_t runs = i == 0 ? alike : planted;
            const Count got = count_of(world, effects[i], runs, by_rule);
            const Count other = count_of(world, effects[i], runs, by_habit);
            fmt::print(
                "{:<24}{:>6.0f} %{:>12}{:>8.3f}{:>8.3f}{:>8.3f}{:>8.1f}    | first {:.3f} second {:.3f} same {:.3f}\n",
                world.name, 100 * effects[i], runs, got.part(got.first), got.part(got.second), got.part(got.same),
                static_cast<double>(got.passes) / static_cast<double>(runs), other.part(other.first),
                other.part(other.second), other.part(other.same));
            CAPTURE(world.name, effects[i], got.first, got.second, got.same);
            const double most = world.carries_over ? 0.25 : 0.06;
            if (i == 0) CHECK(got.part(got.first + got.second) <= most + by_chance(most, runs));
            all[i].add(got);
            habit[i].add(other);
        }
    const Count& none = all[0];
    fmt::print(
        "no difference: a format is called faster in {} of {} campaigns, after five passes of each format in {}\n",
        none.first + none.second, none.campaigns, habit[0].first + habit[0].second);
    CHECK(none.campaigns >= 400);
    CHECK(none.part(none.first + none.second) <= 0.04 + by_chance(0.04, none.campaigns));
    std::size_t with_difference = 0;
    for (std::size_t i = 1; i < effects.size(); ++i) {
        CAPTURE(effects[i]);
        with_difference += all[i].campaigns;
        CHECK(all[i].part(all[i].second) <= 0.01 + by_chance(0.01, all[i].campaigns));
        if (effects[i] > 0.05) CHECK(all[i].part(all[i].same) <= 0.05);
    }
    CHECK(with_difference >= 400);
    CHECK(all[3].part(all[3].first) >= 0.95 - by_chance(0.05, all[3].campaigns));
    CHECK(all[4].part(all[4].first) >= 0.95);
}

} // namespace mediarig::comparison_worlds
