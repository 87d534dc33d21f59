// SPDX-License-Identifier: GPL-3.0-or-later
// Media in use by the guest's real kernel, and exchanged media, while the agent is asked to write. Each scenario is
// judged by the host's bytes of every emulated medium. One boot serves all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <stdexcept>
#include <variant>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/lab/scenarios/guest_tools.hpp"
#include "tests/lab/scenarios/scenario.hpp"
#include "tests/lab/scenarios/stage.hpp"

namespace mediarig::lab {
namespace {

struct MadeScenario {
    std::string title;
    std::function<Verdict(Stage&)> play;
};
std::string title_of(const MadeScenario& scenario) {
    return scenario.title;
}
Verdict play(Stage& stage, const MadeScenario& scenario) {
    return scenario.play(stage);
}
using Scenario = std::variant<StackScenario, ExchangeScenario, MadeScenario>;

std::vector<Scenario> made_scenarios() {
    std::vector<Scenario> all;
    for (const auto slot : std::initializer_list<std::uint8_t>{1, 4, 7, 8})
        for (const bool late : {false, true})
            all.push_back(MadeScenario{fmt::format("one of three partitions is used in slot {}{}", slot,
                                                   late ? ", whose nodes come late" : ""),
                                       [=](Stage& stage) { return use_one_partition(stage, slot, late); }});
    for (const bool map : {false, true})
        all.push_back(MadeScenario{map ? "a disk with two paths under a multipath map" : "a disk with two paths",
                                   [=](Stage& stage) { return use_disk_with_two_paths(stage, map); }});
    return all;
}

/// Scenarios of one seed.
class Generator {
    static std::span<const Operation> operations() {
        static constexpr std::array all{Operation::claim, Operation::format, Operation::table, Operation::verify,
                                        Operation::volume};
        return all;
    }
    template <class Range>
    auto& one_of(const Range& all) {
        return all[random_() % std::size(all)];
    }
    bool chance(unsigned of) { return random_() % of == 0; }
    /// A stack that needs a device path requires an ordinary disk.
    std::uint8_t slot_for(const Stack& stack) {
        constexpr std::array<std::uint8_t, 6> slots{1, 1, 1, 4, 5, 8};
        return stack.target.empty() ? one_of(slots) : std::uint8_t{1};
    }
    std::mt19937_64 random_;

public:
    explicit Generator(std::uint64_t start) : random_(start) {}

    /// A scenario whose stack exists before the request.
    Scenario pair_result(const Stack& stack) {
        return StackScenario{&stack, one_of(operations()), Moment::before_identify, false, slot_for(stack)};
    }
    /// A scenario whose stack is made during the request, or on the other card.
    Scenario meanwhile() {
        while (true) {
            const Stack& stack = one_of(stacks());
            StackScenario scenario{&stack, one_of(operations()), Moment::before_identify, chance(4), slot_for(stack)};
            if (!scenario.beside) scenario.moment = one_of(moments_of(scenario.operation));
            // Locks do not prevent other programs from attaching a loop device. Only the next inspection of the medium
            // detects such a device, not a check during use.
            const bool looked_at_again =
                scenario.moment == Moment::before_claim || scenario.moment == Moment::before_format;
            if (stack.unstoppable && !scenario.beside && !looked_at_again) continue;
            // The stack may be made before or after the claim. Both results are correct.
            if (!scenario.beside && scenario.moment == Moment::during_claim) continue;
            if (!scenario.beside && !stack.target.empty()) continue;
            return scenario;
        }
    }
    Scenario exchange() {
        constexpr std::array kinds{Exchange::twin,    Exchange::other,       Exchange::larger,
                                   Exchange::smaller, Exchange::again,       Exchange::gone,
                                   Exchange::swapped, Exchange::twin_beside, Exchange::other_again};
        // Disks with UAS are omitted, because QEMU 7.2 fails an assertion (usb_uas_cancel_io) when such a disk is
        // pulled during a transfer.
        constexpr std::array<std::uint8_t, 6> slots{1, 1, 1, 5, 7, 8};
        while (true) {
            ExchangeScenario scenario{
                .exchange = one_of(kinds), .operation = one_of(operations()), .slot = one_of(slots)};
            scenario.moment = one_of(moments_of(scenario.operation));
            if (concurrent(scenario.moment)) scenario.delay = std::chrono::milliseconds(random_() % 600);
            if (can_be_told(scenario)) return scenario;
        }
    }
    template <class T>
    void shuffle(std::vector<T>& all) {
        std::shuffle(all.begin(), all.end(), random_);
    }
};

std::vector<Scenario> scenarios_of(std::uint64_t start, bool thorough) {
    Generator generator(start);
    std::vector<Scenario> chosen;
    for (const Stack& stack : stacks()) chosen.push_back(generator.pair_result(stack));
    generator.shuffle(chosen);
    auto made = made_scenarios();
    generator.shuffle(made);
    if (!thorough) {
        chosen.resize(4);
        made.resize(1);
    }
    chosen.insert(chosen.end(), made.begin(), made.end());
    for (int i = 0; i < (thorough ? 40 : 3); ++i) chosen.push_back(generator.meanwhile());
    for (int i = 0; i < (thorough ? 40 : 4); ++i) chosen.push_back(generator.exchange());
    return chosen;
}

std::uint64_t number_in(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : std::strtoull(value, nullptr, 10);
}

/// The image with the tools, or the reason why this machine cannot run scenarios.
Result<BootFiles> image_for(const tests::Scratch& scratch) {
    for (const char* program : {"qemu-system-x86_64", "nbdkit"})
        if (!process::find_program(program)) return fail(Errc::no_driver, std::string(program) + " is not installed");
    const ImageOptions options = test_image_options();
    const auto image = find_guest_image(options);
    if (!image) return fail(image.error());
    const auto tools = guest_tools(options, *image);
    if (!tools) return fail(tools.error());
    BootFiles files{image->kernel.string(), scratch.path("initrd.img")};
    if (auto joined = join_archives(*image, *tools, files.initrd); !joined) return fail(joined.error());
    return files;
}

struct Tally {
    int told{}, wrong{}, done{}, refused{}, ended{};
};

void tell(Stage& stage, Tally& tally, const std::string& title, const std::function<Verdict()>& play) {
    const auto begin = std::chrono::steady_clock::now();
    Verdict verdict;
    try {
        verdict = play();
    } catch (const std::runtime_error& mistake) {
        verdict.wrong.emplace_back(std::string("the stage: ") + mistake.what());
    }
    const std::string left = stage.clean_up();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    ++tally.told;
    tally.done += verdict.done ? 1 : 0;
    tally.refused += verdict.refused ? 1 : 0;
    tally.ended += !verdict.done && !verdict.refused ? 1 : 0;
    tally.wrong += verdict.wrong.empty() ? 0 : 1;
    // Print each verdict at once, so that the output shows the progress if a crash or timeout follows.
    std::cout << fmt::format("  {:3} {:4.1f} s  {}: {}\n", tally.told, took.count(), title, verdict.ending)
              << std::flush;
    for (const std::string& what : verdict.wrong) {
        std::cout << "             WRONG: " << what << std::endl;
        UNSCOPED_INFO(title + ": " + what);
    }
    CHECK(verdict.wrong.empty());
    CHECK(left == "");
}

} // namespace

TEST_CASE("only the claimed medium is written, for any use of a medium by the kernel and any exchange of media") {
    const tests::Scratch scratch;
    const auto image = image_for(scratch);
    if (!image) MEDIARIG_SKIP(image.error().detail);
    const bool thorough = number_in("MEDIARIG_THOROUGH", 0) != 0;
    const std::uint64_t start = number_in("MEDIARIG_SCENARIOS_START", thorough ? std::random_device{}() : 2);
    const std::uint64_t only = number_in("MEDIARIG_SCENARIO", 0);
    std::cout << fmt::format("  start value {} (MEDIARIG_SCENARIOS_START repeats these scenarios)\n", start);
    auto scenarios = scenarios_of(start, thorough);

    Stage stage(*image);
    std::cout << fmt::format("  boot: {} ms\n", stage.boot().count()) << std::flush;
    Tally tally;
    for (std::size_t i = 0; i < scenarios.size(); ++i)
        if (only == 0 || only == i + 1)
            std::visit([&](const auto& one) { tell(stage, tally, title_of(one), [&] { return play(stage, one); }); },
                       scenarios[i]);
    std::cout << fmt::format("  {} scenarios: {} done, {} refused, {} ended with an error; {} wrong\n", tally.told,
                             tally.done, tally.refused, tally.ended, tally.wrong);
}

} // namespace mediarig::lab
