// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/config_sections.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mediarig::lab {
namespace {

using strict_json::Members;
using strict_json::Node;

/// Reads a member that the section requires.
template <class Out, class Read>
bool need(Members& members, std::string_view name, std::string_view why, Out& out, Read read) {
    const auto node = members.need(name, why);
    if (!node) return false;
    auto value = read(*node);
    if (!value) return false;
    out = *value;
    return true;
}

constexpr Bytes largest_unit = 1_GiB;

auto count_of(std::uint64_t least, std::uint64_t most) {
    return [=](const Node& node) { return strict_json::read_count(node, {least, most}); };
}

std::optional<double> read_celsius(const Node& node) {
    const auto degrees = strict_json::read_number(node);
    if (!degrees) return std::nullopt;
    if (*degrees >= -100 && *degrees <= 1000) return degrees;
    node.must_be("a temperature from -100 to 1000 degrees Celsius");
    return std::nullopt;
}

std::optional<SizeClass> read_size_class(const Node& node) {
    Members members(node);
    SizeClass out;
    const bool whole =
        need(members, "from_bytes", "give the smallest request size of this entry", out.from, strict_json::read_size);
    strict_json::take(members, "bytes_per_second", out.rate, read_rate);
    strict_json::take(members, "latency_ns", out.latency, read_ns);
    members.refuse_unknown();
    return whole ? std::optional(out) : std::nullopt;
}

} // namespace

std::optional<std::chrono::nanoseconds> read_ns(const Node& node) {
    constexpr std::uint64_t longest = 1'000'000'000'000;
    const auto count = strict_json::read_count(node, {0, longest});
    if (!count) return std::nullopt;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(*count));
}

std::optional<Rate> read_rate(const Node& node) {
    const auto rate = strict_json::read_count(node, {1, 1'000'000'000'000});
    if (!rate) return std::nullopt;
    return Rate{static_cast<double>(*rate)};
}

std::optional<OperationCost> read_operation(const Node& node) {
    Members members(node);
    OperationCost out;
    strict_json::take(members, "bytes_per_second", out.rate, read_rate);
    strict_json::take(members, "latency_ns", out.latency, read_ns);
    strict_json::take(members, "random_latency_ns", out.random_latency, read_ns);
    if (const auto list = members.find("by_size"))
        for (const Node& entry : strict_json::read_list(*list, 64).value_or(std::vector<Node>{})) {
            const auto size_class = read_size_class(entry);
            if (!size_class) continue;
            if (!out.by_size.empty() && out.by_size.back().from >= size_class->from) {
                entry.complain("must begin at a larger size than the entry before it");
            } else {
                out.by_size.push_back(*size_class);
            }
        }
    members.refuse_unknown();
    return out;
}

std::optional<SlcCache> read_slc_cache(const Node& node) {
    Members members(node);
    SlcCache out;
    bool whole = need(members, "bytes", "give the capacity of the cache", out.size, strict_json::read_size);
    whole &= need(members, "direct_bytes_per_second", "give the rate of writes when the cache is full", out.direct_rate,
                  read_rate);
    whole &= need(members, "recovery_bytes_per_second", "give the rate at which the idle cache is emptied",
                  out.recovery_rate, read_rate);
    strict_json::take(members, "recovery_after_idle_ns", out.recovery_after_idle, read_ns);
    members.refuse_unknown();
    return whole ? std::optional(out) : std::nullopt;
}

std::optional<Thermal> read_thermal(const Node& node) {
    Members members(node);
    Thermal out;
    strict_json::take(members, "ambient_celsius", out.ambient_celsius, read_celsius);
    bool whole = need(members, "degrees_per_gigabyte", "give the temperature rise per 10^9 bytes",
                      out.degrees_per_gigabyte, [](const Node& degrees) { return read_celsius(degrees); });
    whole &= need(members, "cooling_time_ns", "give the time constant of cooling", out.cooling_time, read_ns);
    whole &= need(members, "throttle_at_celsius", "give the temperature at which throttling starts",
                  out.throttle_at_celsius, read_celsius);
    whole &= need(members, "resume_at_celsius", "give the temperature at which throttling ends", out.resume_at_celsius,
                  read_celsius);
    whole &= need(members, "throttled_bytes_per_second", "give the throttled rate", out.throttled_rate, read_rate);
    members.refuse_unknown();
    if (!whole) return std::nullopt;
    if (out.degrees_per_gigabyte < 0) node.complain("\"degrees_per_gigabyte\" must be 0 or more");
    if (out.cooling_time.count() == 0) node.complain("\"cooling_time_ns\" must be above 0");
    if (out.resume_at_celsius > out.throttle_at_celsius)
        node.complain("\"resume_at_celsius\" must not be above \"throttle_at_celsius\"");
    return out;
}

std::optional<GarbageCollection> read_garbage_collection(const Node& node) {
    Members members(node);
    GarbageCollection out;
    std::uint64_t jitter = 0;
    bool whole = need(members, "every_bytes", "give the number of written bytes between stalls", out.every,
                      strict_json::read_size);
    whole &= need(members, "stall_ns", "give the duration of a stall", out.stall, read_ns);
    strict_json::take(members, "jitter_percent", jitter, count_of(0, 100));
    members.refuse_unknown();
    out.jitter_percent = static_cast<unsigned>(jitter);
    return whole ? std::optional(out) : std::nullopt;
}

std::optional<Disk> read_disk(const Node& node) {
    Members members(node);
    Disk out;
    bool whole =
        need(members, "outer_bytes_per_second", "give the rate of the first sectors", out.outer_rate, read_rate);
    whole &= need(members, "inner_bytes_per_second", "give the rate of the last sectors", out.inner_rate, read_rate);
    whole &= need(members, "track_to_track_ns", "give the time of the shortest seek", out.track_to_track, read_ns);
    whole &= need(members, "full_stroke_ns", "give the time of the longest seek", out.full_stroke, read_ns);
    whole &= need(members, "revolutions_per_minute", "give the rotational speed", out.revolutions_per_minute,
                  count_of(1, 1'000'000));
    members.refuse_unknown();
    if (!whole) return std::nullopt;
    if (out.inner_rate > out.outer_rate)
        node.complain("\"inner_bytes_per_second\" must not be above \"outer_bytes_per_second\"");
    if (out.track_to_track > out.full_stroke)
        node.complain("\"track_to_track_ns\" must not be above \"full_stroke_ns\"");
    return out;
}

std::optional<VolatileCache> read_volatile_cache(const Node& node) {
    Members members(node);
    VolatileCache out;
    const bool whole = need(members, "bytes", "give the capacity of the cache", out.size, strict_json::read_size);
    strict_json::take(members, "loss_unit", out.loss_unit,
                      [](const Node& word) { return strict_json::read_choice<LossUnit>(word, "unit of loss"); });
    members.refuse_unknown();
    if (!whole) return std::nullopt;
    if (out.size < 4_KiB || out.size > 4_GiB) node.complain("\"bytes\" must be from 4 KiB to 4 GiB");
    return out;
}

std::optional<EraseUnit> read_erase_unit(const Node& node) {
    Members members(node);
    EraseUnit out;
    bool whole = need(members, "bytes", "give the size of a unit", out.size, strict_json::read_size);
    whole &= need(members, "partial_ns", "give the extra time of a partly written unit", out.partial, read_ns);
    strict_json::take(members, "open_units", out.open_units, count_of(1, 1024));
    members.refuse_unknown();
    if (!whole) return std::nullopt;
    if (out.size % sector_size != 0_B) node.complain("\"bytes\" must be a multiple of 512");
    return out;
}

std::optional<ProgramUnit> read_program_unit(const Node& node) {
    Members members(node);
    ProgramUnit out;
    bool whole = need(members, "bytes", "give the size of a unit", out.size, strict_json::read_size);
    whole &= need(members, "partial_ns", "give the extra time of a partly written unit", out.partial, read_ns);
    strict_json::take(members, "offset_bytes", out.first, [](const Node& n) -> std::optional<Bytes> {
        const auto count = count_of(0, largest_unit.count)(n);
        return count ? std::optional(Bytes{*count}) : std::nullopt;
    });
    members.refuse_unknown();
    if (!whole) return std::nullopt;
    if (out.size % sector_size != 0_B || out.first % sector_size != 0_B)
        node.complain("\"bytes\" and \"offset_bytes\" must be multiples of 512");
    if (out.first >= out.size) node.complain("\"offset_bytes\" must be below \"bytes\"");
    return out;
}

std::optional<SectorRange> read_sectors(Members& members) {
    SectorRange out{.first = {}, .count = 1};
    const bool whole =
        need(members, "first_sector", "give the first sector", out.first.index, count_of(0, most_sectors - 1));
    strict_json::take(members, "sector_count", out.count, count_of(1, most_sectors));
    return whole ? std::optional(out) : std::nullopt;
}

std::optional<BadSectors> read_bad_sectors(const Node& node) {
    static constexpr std::array<std::string_view, 3> words{"read", "write", "both"};
    Members members(node);
    const auto sectors = read_sectors(members);
    std::size_t fails = 2;
    strict_json::take(members, "fails", fails,
                      [](const Node& word) { return strict_json::read_word(word, "way to fail", words); });
    members.refuse_unknown();
    if (!sectors) return std::nullopt;
    return BadSectors{.sectors = *sectors, .fail_reads = fails != 1, .fail_writes = fails != 0};
}

std::optional<SlowSectors> read_slow_region(const Node& node) {
    Members members(node);
    const auto sectors = read_sectors(members);
    SlowSectors out;
    strict_json::take(members, "bytes_per_second", out.rate, read_rate);
    strict_json::take(members, "extra_ns", out.extra, read_ns);
    members.refuse_unknown();
    if (!sectors) return std::nullopt;
    out.sectors = *sectors;
    return out;
}

std::optional<CorruptRegion> read_corrupt_region(const Node& node) {
    Members members(node);
    const auto sectors = read_sectors(members);
    CorruptRegion out;
    strict_json::take(members, "bits_per_sector", out.bits_per_sector, count_of(1, 4096));
    members.refuse_unknown();
    if (!sectors) return std::nullopt;
    out.sectors = *sectors;
    return out;
}

} // namespace mediarig::lab
