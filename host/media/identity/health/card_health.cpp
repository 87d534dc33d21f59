// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/health/card_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mediarig::media {
namespace {

constexpr std::array<std::uint32_t, 5> reading_arguments{0x0000'0001, 0x1100'05F1, 0x1100'05F9, 0x1100'05FB,
                                                         0x5342'0001};
constexpr std::uint32_t phison_prepare = 0x10, phison_read = 0x21;
constexpr std::array<std::uint8_t, 3> two_step_makers{0x27, 0x41, 0x9F};

constexpr Bytes counted_sector{512};
constexpr double whole = 100;

std::string command_text(std::uint32_t argument) {
    return fmt::format("CMD56 {:#010x}", argument);
}

/// "200710" as "2020-07-10"; empty if it is no date.
std::string date_text(const std::string& yymmdd) {
    if (yymmdd.size() != 6) return {};
    const std::string month = yymmdd.substr(2, 2), day = yymmdd.substr(4, 2);
    if (month < "01" || month > "12" || day < "01" || day > "31") return {};
    return fmt::format("20{}-{}-{}", yymmdd.substr(0, 2), month, day);
}

bool ends_query(Errc code) {
    return code == Errc::no_permission || code == Errc::no_driver || code == Errc::no_medium;
}

void fill(const SanDiskPage& page, CardHealth& health) {
    health.layout = "SanDisk";
    // Step 1 means less than 1 %.
    health.life_used = page.life_step - 1;
    health.power_ups = page.power_ups;
    health.product = page.product;
    health.made = date_text(page.made);
    health.features = fmt::format("{:02x}, {}", page.feature_revision, page.generation);
}

void fill(const LongsysPage& page, CardHealth& health) {
    constexpr double thousandths = 1000;
    health.layout = "Longsys";
    health.life_used = whole - page.life_left;
    health.spare_blocks = page.spare_blocks;
    health.factory_bad_blocks = page.factory_bad_blocks;
    health.later_bad_blocks = page.later_bad_blocks;
    health.erase_mean = page.mean_erases_milli / thousandths;
    health.rated_erases = page.rated_erases;
    // A larger number of sectors than 2^55 does not fit into Bytes and is damage.
    if (page.written_sectors < (std::uint64_t{1} << 55)) health.written = counted_sector * page.written_sectors;
}

void fill(const SmiPage& page, CardHealth& health) {
    health.layout = page.maker;
    health.life_used = whole - page.life_left;
    health.spare_blocks = page.spare_blocks;
    health.factory_bad_blocks = page.factory_bad_blocks;
    health.later_bad_blocks = page.later_bad_blocks;
    health.erase_least = page.erase_least;
    health.erase_mean = page.erase_mean;
    health.erase_most = page.erase_most;
    health.erase_total = page.erase_total;
    health.rated_erases = page.rated_erases;
    health.power_ups = page.power_ups;
    if (page.maker == "Transcend") health.power_losses = page.power_losses;
    health.flash_id = page.flash_id;
    health.controller = page.controller;
    health.firmware = page.firmware;
}

void fill(const MicronPage& page, CardHealth& health) {
    health.layout = "Micron";
    health.life_used = page.life_used;
}

void fill(const SwissbitPage& page, CardHealth& health) {
    health.layout = "Swissbit";
    health.life_used = whole - page.life_left;
    health.spare_blocks = std::uint64_t{page.spare_blocks} + page.system_spare_blocks;
    health.later_bad_blocks = std::uint64_t{page.later_bad_blocks} + page.system_later_bad_blocks;
    health.erase_mean = page.erase_mean;
    health.erase_most = page.erase_most;
    health.erase_total = page.erase_total;
    health.rated_erases = page.rated_erases;
    health.power_ups = page.power_ups;
    health.firmware = page.firmware;
}

void fill(const PhisonPage& page, CardHealth& health) {
    health.layout = "Phison";
    health.life_used = whole - page.life_left;
    health.spare_blocks = page.spare_blocks;
    health.factory_bad_blocks = page.factory_bad_blocks;
    health.later_bad_blocks = page.later_bad_blocks;
    health.erase_least = page.erase_least;
    health.erase_mean = page.erase_mean;
    health.erase_most = page.erase_most;
    health.erase_total = page.erase_total;
    health.power_ups = page.power_ups;
    health.power_losses = page.power_losses;
    if (page.written_sectors) health.written = counted_sector * *page.written_sectors;
    health.flash_id = page.flash_id;
    health.firmware = page.firmware;
}

CardHealth without_values(HealthState state, std::string detail) {
    CardHealth health;
    health.state = state;
    health.detail = std::move(detail);
    return health;
}

/// One query of a card. Keeps the reason of the first rejected page for the result.
class CardQuery {
public:
    CardQuery(CardCommands& card, const Medium& medium) : card_(card), medium_(medium) {}

    CardHealth health() {
        for (const std::uint32_t argument : reading_arguments) {
            const auto page = stable_page(argument, {});
            if (failed_) return std::move(*failed_);
            if (!page) continue;
            const auto parsed = parse_card_page(*page);
            if (parsed) return health_of(*parsed, command_text(argument));
            reject(argument, parsed.error().detail);
        }
        if (may_send_two_steps()) {
            const auto page = stable_page(phison_read, phison_prepare);
            if (failed_) return std::move(*failed_);
            if (page) {
                const auto parsed = parse_phison_page(*page);
                if (parsed) return health_of(*parsed, "CMD56 0x00000010, 0x00000021");
                reject(phison_read, parsed.error().detail);
            }
        }
        if (!rejected_.empty()) return without_values(HealthState::rejected, rejected_);
        return without_values(HealthState::unsupported, "the card does not answer CMD56: " + unanswered_);
    }

private:
    [[nodiscard]] bool may_send_two_steps() const {
        return medium_.sd && std::ranges::find(two_step_makers, medium_.sd->manufacturer_id) != two_step_makers.end();
    }

    void reject(std::uint32_t argument, const std::string& why) {
        if (rejected_.empty()) rejected_ = fmt::format("{}: {}", command_text(argument), why);
    }

    void note_error(const Error& error) {
        if (ends_query(error.code)) failed_ = without_values(HealthState::failed, error.detail);
        if (unanswered_.empty()) unanswered_ = error.detail;
    }

    std::optional<HealthPage> page_once(std::uint32_t argument, std::optional<std::uint32_t> prepare) {
        if (prepare)
            if (const auto prepared = card_.general_write(*prepare); !prepared) {
                note_error(prepared.error());
                return std::nullopt;
            }
        auto page = card_.general_read(argument);
        if (page) return *page;
        note_error(page.error());
        return std::nullopt;
    }

    /// A page that is the same twice, not constant, and not sector 0.
    std::optional<HealthPage> stable_page(std::uint32_t argument, std::optional<std::uint32_t> prepare) {
        const auto first = page_once(argument, prepare);
        if (!first) return std::nullopt;
        if (std::ranges::all_of(*first, [&](std::byte byte) { return byte == first->front(); })) {
            reject(argument, fmt::format("all bytes are {:02x}", std::to_integer<unsigned>(first->front())));
            return std::nullopt;
        }
        const auto again = page_once(argument, prepare);
        if (!again) return std::nullopt;
        if (*first != *again) {
            reject(argument, "two reads differ");
            return std::nullopt;
        }
        const auto sector_0 = card_.first_sector();
        if (!sector_0) {
            reject(argument,
                   "sector 0 is not readable, so the page cannot be compared with it: " + sector_0.error().detail);
            return std::nullopt;
        }
        if (*first == *sector_0) {
            reject(argument, "the card returned its sector 0");
            return std::nullopt;
        }
        return first;
    }

    CardCommands& card_;
    const Medium& medium_;
    std::string rejected_, unanswered_;
    std::optional<CardHealth> failed_;
};

CardHealth emmc_health(CardCommands& card) {
    const auto first = card.ext_csd();
    const auto again = first ? card.ext_csd() : first;
    for (const auto* const page : {&first, &again})
        if (!*page)
            return without_values(ends_query(page->error().code) ? HealthState::failed : HealthState::unsupported,
                                  ends_query(page->error().code)
                                      ? page->error().detail
                                      : "the eMMC does not answer CMD8: " + page->error().detail);
    const auto health = parse_ext_csd_health(*first), second = parse_ext_csd_health(*again);
    if (!health) return without_values(HealthState::rejected, health.error().detail);
    // Other bytes of an EXT_CSD may change at any time, such as the status of background operations.
    if (!second || *health != *second) return without_values(HealthState::rejected, "CMD8: two reads differ");
    return health_of(*health);
}

} // namespace

CardHealth health_of(const CardPage& page, std::string command) {
    CardHealth health;
    health.state = HealthState::reported;
    health.command = std::move(command);
    std::visit([&](const auto& of_maker) { fill(of_maker, health); }, page);
    return health;
}

CardHealth health_of(const ExtCsdHealth& ext_csd) {
    constexpr double percent_per_code = 10;
    CardHealth health;
    health.state = HealthState::reported;
    health.layout = "eMMC";
    health.command = "CMD8";
    const std::uint8_t worst = std::max(ext_csd.life_a, ext_csd.life_b);
    if (worst != 0) health.life_used = (worst - 1) * percent_per_code;
    health.life_code_a = ext_csd.life_a;
    health.life_code_b = ext_csd.life_b;
    health.pre_eol = ext_csd.pre_eol;
    health.firmware = ext_csd.firmware;
    return health;
}

CardHealth read_card_health(CardCommands& card, const Medium& medium) {
    return medium.sd ? CardQuery(card, medium).health() : emmc_health(card);
}

} // namespace mediarig::media
