// SPDX-License-Identifier: GPL-3.0-or-later
/// Proves that a planted difference is found and that no other difference is found. The card model runs on its own
/// clock, clusters are at the positions of real formatters, and the comparison measures and decides as in a campaign.
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "common/split_mix.hpp"
#include "host/base/process/run_process.hpp"
#include "host/lab/card/timing.hpp"
#include "host/measure/comparison/comparison.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/measure/counterbalance.hpp"
#include "tests/catch.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;
using namespace measure::comparison;

namespace {

constexpr Bytes size = 1_GiB, unit = 32_KiB, span = 64_MiB;

/// A sparse file, formatted by a foreign formatter, which the destructor removes.
class Formatted {
public:
    Formatted(const std::string& program, std::vector<std::string> arguments)
        : path_(std::filesystem::temp_directory_path() / ("mediarig-compare-" + std::to_string(::getpid()) + ".img")) {
        std::ofstream(path_).close();
        std::filesystem::resize_file(path_, size.count);
        arguments.push_back(path_.string());
        const auto made = process::run_process(
            {.program = program, .arguments = std::move(arguments), .search_path = "/usr/sbin:/sbin:/usr/bin"});
        made_ = made && made->succeeded();
        std::ifstream(path_, std::ios::binary).read(reinterpret_cast<char*>(boot_.data()), boot_.size()); // NOLINT
    }
    Formatted(const Formatted&) = delete;
    Formatted& operator=(const Formatted&) = delete;
    ~Formatted() { std::filesystem::remove(path_); }

    [[nodiscard]] bool made() const { return made_; }
    /// Little-endian, as in both formats.
    [[nodiscard]] std::uint64_t field(std::size_t offset, std::size_t bytes) const {
        std::uint64_t value = 0;
        for (std::size_t i = bytes; i-- > 0;) value = value << 8 | boot_.at(offset + i);
        return value;
    }

private:
    std::filesystem::path path_;
    std::array<std::uint8_t, 512> boot_{};
    bool made_{};
};

/// exFAT file system specification, section 3.1: ClusterHeapOffset, in sectors of 512 here.
std::optional<std::uint64_t> exfat_heap(std::vector<std::string> arguments) {
    const Formatted image("mkfs.exfat", std::move(arguments));
    return image.made() ? std::optional(image.field(88, 4) * 512) : std::nullopt;
}

/// FAT specification, section 3: reserved sectors, number of FATs, length of one.
std::optional<std::uint64_t> fat32_heap(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-F", "32"});
    const Formatted image("mkfs.fat", std::move(arguments));
    if (!image.made()) return std::nullopt;
    return (image.field(14, 2) + image.field(16, 1) * image.field(36, 4)) * 512;
}

CardConfig card(std::chrono::nanoseconds partial) {
    CardConfig config{.claimed = size, .real = size};
    config.command_overhead = 60us;
    config.read = {.rate = Rate{90e6}, .latency = 100us, .random_latency = 250us};
    config.write = {.rate = Rate{60e6}, .latency = 200us, .random_latency = 1ms};
    // The source of scatter between repeats.
    config.garbage_collection = GarbageCollection{.every = 4_MiB, .stall = 20ms, .jitter_percent = 80};
    config.program_unit = ProgramUnit{.size = unit, .partial = partial};
    return config;
}

/// A medium that is formatted repeatedly, on its own clock.
struct Medium {
    Medium(const CardConfig& config, std::uint64_t seed) : timing(config), offsets(seed) {}

    /// Operations per second of 256 transfers at random places of a file that begins at `heap`.
    double random(Timing::Transfer kind, Bytes block, std::uint64_t heap) {
        std::chrono::nanoseconds elapsed{};
        constexpr int transfers = 256;
        for (int i = 0; i < transfers; ++i) {
            const std::uint64_t place = offsets.next() % (span.count / block.count) * block.count;
            const auto took = timing.transfer(kind, heap + place, block, now);
            now += took;
            elapsed += took;
        }
        return transfers / std::chrono::duration<double>(elapsed).count();
    }

    Timing timing;
    SplitMix offsets;
    Moment now{};
};

struct Layout {
    const char* name;
    std::uint64_t heap;
};

/// Compares each layout with the first one by 64 KiB writes and 64 KiB reads.
Comparison campaign(const std::vector<Layout>& layouts, std::chrono::nanoseconds partial, std::uint64_t seed) {
    Medium medium(card(partial), seed);
    Design design{.formats = layouts.size(), .headlines = 2, .against_first = true};
    design.terms.budget = 20;
    Comparison comparison(design);
    for (const auto& row : measure::random_orders(layouts.size(), *design.terms.budget, SplitMix(seed))) {
        std::vector<Pass> block;
        for (const std::size_t layout : row)
            block.push_back({.format = layout,
                             .figures = {medium.random(Timing::Transfer::write, 64_KiB, layouts[layout].heap),
                                         medium.random(Timing::Transfer::read, 64_KiB, layouts[layout].heap)}});
        comparison.add(block);
    }
    return comparison;
}

/// Planted penalty of a random write of 64 KiB: two partly filled units, or none.
double planted(std::chrono::nanoseconds partial, std::uint64_t heap) {
    if (heap % unit.count == 0) return 0;
    const double data = 65536 / 60e6, stalls = 20e-3 * 65536 / static_cast<double>((4_MiB).count);
    const double aligned = 60e-6 + 200e-6 + 1e-3 + data + stalls;
    return 1 - aligned / (aligned + 2 * std::chrono::duration<double>(partial).count());
}

} // namespace

TEST_CASE(
    "comparison: the alignment penalty of a card is found for cluster positions of real formatters, and no other "
    "difference") {
    MEDIARIG_SAMPLED(4);
    const auto by_default = exfat_heap({}), small = exfat_heap({"-c", "4K"}), unaligned = exfat_heap({"-b", "512"});
    if (!by_default || !small || !unaligned) MEDIARIG_SKIP("mkfs.exfat (exfatprogs) is not installed");
    std::vector<Layout> layouts{{"exFAT", *by_default},
                                {"exFAT, clusters of 4 KiB", *small},
                                {"exFAT, boundary of a sector", *unaligned},
                                {"exFAT behind sector 63", *by_default + 63 * 512}};
    if (const auto fat = fat32_heap({})) layouts.push_back({"FAT32", *fat});
    if (const auto fat = fat32_heap({"-R", "100", "-a"})) layouts.push_back({"FAT32, shifted", *fat});
    // Without this condition the checks below would prove nothing.
    REQUIRE(*by_default % unit.count == 0);
    REQUIRE(*small % unit.count == 0);
    REQUIRE(*unaligned % unit.count != 0);

    std::vector<std::string> names;
    for (const Layout& layout : layouts) names.emplace_back(layout.name);
    for (const auto partial : {0us, 40us, 150us, 4000us}) {
        const Comparison comparison = campaign(layouts, partial, 7);
        for (const PairResult& pair_result : comparison.pair_results()) {
            const bool is_writing = pair_result.headline == 0;
            const double truth = is_writing ? -std::log1p(-planted(partial, layouts[pair_result.second].heap)) : 0;
            CAPTURE(names[pair_result.second], is_writing, partial.count(), truth,
                    text_of(pair_result, comparison, names));
            if (truth == 0) CHECK(pair_result.verdict != ComparisonVerdict::faster);
            // A difference too small for the budget is not found, but is within the interval.
            if (truth > 0 && partial >= 150us) {
                CHECK(pair_result.verdict == ComparisonVerdict::faster);
                CHECK(pair_result.faster_format() == 0);
            }
            CHECK(pair_result.look.from() <= truth + 0.002);
            CHECK(pair_result.look.to() >= truth - 0.002);
        }
    }
}

TEST_CASE(
    "comparison: an 8 % alignment penalty is found in each of 20 campaigns, and no penalty on cards without one") {
    constexpr std::uint64_t campaigns = 20;
    const std::vector<Layout> layouts{{"on a unit", 64 * unit.count}, {"off a unit", 64 * unit.count + 512}};
    // The penalty of two partly filled units is 8 % of the write time.
    std::chrono::nanoseconds partial{};
    while (planted(partial, layouts[1].heap) < 0.08) partial += 1us;
    std::size_t found = 0, wrong = 0, named_wrongly = 0, blocks = 0;
    for (std::uint64_t seed = 1; seed <= campaigns; ++seed) {
        const Comparison with = campaign(layouts, partial, seed), without = campaign(layouts, 0us, seed);
        const PairResult& writing = with.pair_results().front();
        found += writing.verdict == ComparisonVerdict::faster && writing.faster_format() == 0 ? 1 : 0;
        named_wrongly += writing.verdict == ComparisonVerdict::faster && writing.faster_format() == 1 ? 1 : 0;
        blocks += writing.look.blocks;
        wrong += without.pair_results().front().verdict == ComparisonVerdict::faster ? 1 : 0;
    }
    CAPTURE(found, wrong, blocks);
    CHECK(found == campaigns);
    CHECK(named_wrongly == 0);
    CHECK(wrong <= 1); // chance alone gives one false finding in twenty
}
