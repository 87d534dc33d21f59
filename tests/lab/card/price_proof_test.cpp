// SPDX-License-Identifier: GPL-3.0-or-later
/// The proof that a price is found where one was planted, and none where none was: the card model on its own clock,
/// with clusters where real formatters put them, measured and reckoned as in a campaign.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "common/split_mix.hpp"
#include "host/lab/card/timing.hpp"
#include "host/measure/counterbalance.hpp"
#include "host/measure/price.hpp"
#include "host/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;
using measure::PriceVerdict;

namespace {

constexpr Bytes size = 1_GiB, unit = 32_KiB, span = 64_MiB;

/// A sparse file, formatted by a formatter that is not ours; removed at the end.
class Formatted {
public:
    Formatted(const std::string& program, std::vector<std::string> arguments)
        : path_(std::filesystem::temp_directory_path() / ("mediarig-price-" + std::to_string(::getpid()) + ".img")) {
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
    /// Little-endian, as both formats have it.
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
    // What makes repeats scatter.
    config.garbage_collection = GarbageCollection{.every = 4_MiB, .stall = 20ms, .jitter_percent = 80};
    config.program_unit = ProgramUnit{.size = unit, .partial = partial};
    return config;
}

/// A medium that goes from format to format, on its own clock.
struct Medium {
    explicit Medium(const CardConfig& config) : timing(config), offsets(7) {}

    /// Operations a second of 256 transfers at random places of a file that begins at `heap`.
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

/// What each layout costs against the first one: first 64 KiB writes of each, then 64 KiB reads of each.
std::vector<measure::Price> campaign(const std::vector<Layout>& layouts, std::chrono::nanoseconds partial) {
    Medium medium(card(partial));
    std::vector<std::vector<measure::PricePair>> comparisons(2 * (layouts.size() - 1));
    for (const auto& row : measure::counterbalanced(layouts.size(), 2 * measure::rows_of_full_cycle(layouts.size()))) {
        std::vector<std::array<double, 2>> values(layouts.size());
        std::vector<double> place(layouts.size());
        for (std::size_t at = 0; at < row.size(); ++at) {
            const std::uint64_t heap = layouts[row[at]].heap;
            values[row[at]] = {medium.random(Timing::Transfer::write, 64_KiB, heap),
                               medium.random(Timing::Transfer::read, 64_KiB, heap)};
            place[row[at]] = static_cast<double>(at);
        }
        for (std::size_t i = 1; i < layouts.size(); ++i)
            for (std::size_t access = 0; access < 2; ++access)
                comparisons[access * (layouts.size() - 1) + i - 1].push_back({.baseline = values[0].at(access),
                                                                              .deviation = values[i].at(access),
                                                                              .places = place[i] - place[0]});
    }
    return measure::prices_of(comparisons);
}

/// Of a random write of 64 KiB: two units in part, or none.
double planted(std::chrono::nanoseconds partial, std::uint64_t heap) {
    if (heap % unit.count == 0) return 0;
    const double data = 65536 / 60e6, stalls = 20e-3 * 65536 / static_cast<double>((4_MiB).count);
    const double aligned = 60e-6 + 200e-6 + 1e-3 + data + stalls;
    return 1 - aligned / (aligned + 2 * std::chrono::duration<double>(partial).count());
}

} // namespace

TEST_CASE(
    "price: what a card's alignment costs is found with clusters where real formatters put them, and nothing else") {
    MEDIARIG_SAMPLED(4);
    const auto by_default = exfat_heap({}), small = exfat_heap({"-c", "4K"}), unaligned = exfat_heap({"-b", "512"});
    if (!by_default || !small || !unaligned) MEDIARIG_SKIP("mkfs.exfat (exfatprogs) is not installed");
    std::vector<Layout> layouts{{"exFAT", *by_default},
                                {"exFAT, clusters of 4 KiB", *small},
                                {"exFAT, boundary of a sector", *unaligned},
                                {"exFAT behind sector 63", *by_default + 63 * 512}};
    if (const auto fat = fat32_heap({})) layouts.push_back({"FAT32", *fat});
    if (const auto fat = fat32_heap({"-R", "100", "-a"})) layouts.push_back({"FAT32, shifted", *fat});
    // Otherwise nothing below would be tried.
    REQUIRE(*by_default % unit.count == 0);
    REQUIRE(*small % unit.count == 0);
    REQUIRE(*unaligned % unit.count != 0);

    for (const auto partial : {0us, 40us, 150us, 4000us}) {
        const auto prices = campaign(layouts, partial);
        const std::size_t deviations = layouts.size() - 1;
        for (std::size_t i = 0; i < deviations; ++i) {
            const measure::Price& writing = prices[i];
            const measure::Price& reading = prices[deviations + i];
            const double truth = planted(partial, layouts[i + 1].heap);
            CAPTURE(layouts[i + 1].name, layouts[i + 1].heap, partial.count(), truth, measure::text_of(writing),
                    measure::text_of(reading));
            if (truth == 0) CHECK(writing.verdict == PriceVerdict::not_found);
            // A price that is too small for so few repeats is not found, and lies in the interval all the same.
            if (truth > writing.smallest) CHECK(writing.verdict == PriceVerdict::costs);
            if (truth > 0 && partial >= 150us) CHECK(truth > writing.smallest.value());
            CHECK(writing.interval->from <= truth + 0.002);
            CHECK(writing.interval->to >= truth - 0.002);
            CHECK(reading.verdict == PriceVerdict::not_found);
        }
    }
}
