// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <limits>

#include "host/base/json/source.hpp"
#include "host/lab/card/config.hpp"
#include "host/lab/card/config_sections.hpp"

namespace mediarig::lab {
namespace {

using strict_json::Members;
using strict_json::Node;

template <class Entry, class Read>
void take_list(Members& members, std::string_view name, std::vector<Entry>& out, Read read) {
    const auto list = members.find(name);
    if (!list) return;
    for (const Node& node : strict_json::read_list(*list, most_ranges).value_or(std::vector<Node>{}))
        if (const auto entry = read(node)) out.push_back(*entry);
}

template <class Section, class Read>
void take_section(Members& members, std::string_view name, std::optional<Section>& out, Read read) {
    if (const auto node = members.find(name)) out = read(*node);
}

std::optional<std::uint8_t> read_warning(const Node& node) {
    constexpr std::uint64_t every_bit = 0x1F;
    const auto bits = strict_json::read_count(node, {0, every_bit});
    if (!bits) return std::nullopt;
    return static_cast<std::uint8_t>(*bits);
}

CardConfig read_members(Members& members) {
    const auto line = [](const Node& node) { return strict_json::read_line(node, 400); };
    CardConfig out;
    strict_json::take(members, "description", out.description, line);
    strict_json::take(members, "figures", out.figures, line);
    if (const auto node = members.need("claimed_bytes", "give the capacity that the medium claims"))
        if (const auto size = strict_json::read_size(*node)) out.claimed = *size;
    out.real = out.claimed;
    strict_json::take(members, "real_bytes", out.real, strict_json::read_size);
    strict_json::take(members, "beyond_real", out.beyond, [](const Node& node) {
        return strict_json::read_choice<OverflowBehaviour>(node, "end of a fake medium");
    });
    strict_json::take(members, "can_trim", out.can_trim, strict_json::read_flag);
    strict_json::take(members, "command_overhead_ns", out.command_overhead, read_ns);
    strict_json::take(members, "joins_within_ns", out.joins_within, read_ns);
    strict_json::take(members, "read", out.read, read_operation);
    strict_json::take(members, "write", out.write, read_operation);
    strict_json::take(members, "flush_ns", out.flush_latency, read_ns);
    take_section(members, "slc_cache", out.slc_cache, read_slc_cache);
    take_section(members, "thermal", out.thermal, read_thermal);
    take_section(members, "garbage_collection", out.garbage_collection, read_garbage_collection);
    take_section(members, "disk", out.disk, read_disk);
    take_section(members, "volatile_cache", out.volatile_cache, read_volatile_cache);
    take_section(members, "erase_unit", out.erase_unit, read_erase_unit);
    take_section(members, "program_unit", out.program_unit, read_program_unit);
    take_list(members, "bad_sectors", out.bad_sectors, read_bad_sectors);
    take_list(members, "slow_regions", out.slow_regions, read_slow_region);
    take_list(members, "corrupt_regions", out.corrupt_regions, read_corrupt_region);
    const auto any = [](const Node& node) {
        return strict_json::read_count(node, {0, std::numeric_limits<std::uint64_t>::max()});
    };
    strict_json::take(members, "corrupt_one_sector_in", out.corrupt_one_sector_in, any);
    strict_json::take(members, "smart_critical_warning", out.smart_critical_warning, read_warning);
    strict_json::take(members, "start_value", out.start_value, any);
    members.refuse_unknown();
    return out;
}

void apply(const CardOverrides& overrides, CardConfig& config) {
    const bool honest = config.real == config.claimed;
    if (overrides.claimed) config.claimed = *overrides.claimed;
    if (overrides.claimed && honest) config.real = config.claimed;
    if (overrides.real) config.real = *overrides.real;
    if (overrides.joins_within) config.joins_within = *overrides.joins_within;
    if (overrides.start_value) config.start_value = *overrides.start_value;
}

template <class Entry>
void check_inside(strict_json::Faults& faults, std::string_view name, const std::vector<Entry>& entries,
                  Bytes claimed) {
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].sectors.end() > claimed / sector_size)
            faults.add(strict_json::deeper(strict_json::deeper("", name), i),
                       fmt::format("ends at sector {}, but the medium has {} sectors", entries[i].sectors.end(),
                                   claimed / sector_size));
}

/// Checks that involve several members.
void check_whole(const CardConfig& config, strict_json::Faults& faults) {
    const auto size_fault = [](Bytes size) { return size == 0_B || size % sector_size != 0_B; };
    if (size_fault(config.claimed)) faults.add("/claimed_bytes", "must be a multiple of 512 and not 0");
    if (config.real != config.claimed && size_fault(config.real))
        faults.add("/real_bytes", "must be a multiple of 512 and not 0");
    if (config.real > config.claimed)
        faults.add("/real_bytes", fmt::format("is {}, more than the {} bytes that the medium claims", config.real.count,
                                              config.claimed.count));
    check_inside(faults, "bad_sectors", config.bad_sectors, config.claimed);
    check_inside(faults, "slow_regions", config.slow_regions, config.claimed);
    check_inside(faults, "corrupt_regions", config.corrupt_regions, config.claimed);
}

} // namespace

Result<CardConfig> parse_card_config(std::string_view text, const CardOverrides& overrides) {
    strict_json::Faults faults;
    CardConfig config;
    if (const auto tree = strict_json::read_source(text, faults)) {
        Members members(Node{&*tree, "", &faults});
        config = read_members(members);
        apply(overrides, config);
        // Skip the check of the whole after other faults: it would report their consequences.
        if (faults.count() == 0) check_whole(config, faults);
    }
    const std::size_t count = faults.count();
    if (count == 0) return config;
    std::string detail = "card model: " + faults.take().front();
    if (count > 1) detail += fmt::format(" (and {} more)", count - 1);
    return fail(Errc::bad_request, std::move(detail));
}

} // namespace mediarig::lab
