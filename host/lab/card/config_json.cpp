// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "host/lab/card/config.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::ordered_json;

std::uint64_t number(Rate rate) {
    return static_cast<std::uint64_t>(rate.bytes_per_second);
}

void put_time(ordered_json& out, const char* name, std::chrono::nanoseconds time) {
    if (time.count() != 0) out[name] = time.count();
}

ordered_json written(const SizeClass& of) {
    ordered_json out{{"from_bytes", of.from.count}};
    if (of.rate) out["bytes_per_second"] = number(*of.rate);
    if (of.latency) out["latency_ns"] = of.latency->count();
    return out;
}

ordered_json written(const OperationCost& cost) {
    ordered_json out = ordered_json::object();
    if (cost.rate) out["bytes_per_second"] = number(*cost.rate);
    put_time(out, "latency_ns", cost.latency);
    put_time(out, "random_latency_ns", cost.random_latency);
    for (const SizeClass& entry : cost.by_size) out["by_size"].push_back(written(entry));
    return out;
}

ordered_json written(const SlcCache& cache) {
    ordered_json out{{"bytes", cache.size.count},
                     {"direct_bytes_per_second", number(cache.direct_rate)},
                     {"recovery_bytes_per_second", number(cache.recovery_rate)}};
    put_time(out, "recovery_after_idle_ns", cache.recovery_after_idle);
    return out;
}

ordered_json written(const Thermal& thermal) {
    return {{"ambient_celsius", thermal.ambient_celsius},
            {"degrees_per_gigabyte", thermal.degrees_per_gigabyte},
            {"cooling_time_ns", thermal.cooling_time.count()},
            {"throttle_at_celsius", thermal.throttle_at_celsius},
            {"resume_at_celsius", thermal.resume_at_celsius},
            {"throttled_bytes_per_second", number(thermal.throttled_rate)}};
}

ordered_json written(const GarbageCollection& collection) {
    return {{"every_bytes", collection.every.count},
            {"stall_ns", collection.stall.count()},
            {"jitter_percent", collection.jitter_percent}};
}

ordered_json written(const Disk& disk) {
    return {{"outer_bytes_per_second", number(disk.outer_rate)},
            {"inner_bytes_per_second", number(disk.inner_rate)},
            {"track_to_track_ns", disk.track_to_track.count()},
            {"full_stroke_ns", disk.full_stroke.count()},
            {"revolutions_per_minute", disk.revolutions_per_minute}};
}

ordered_json written(const VolatileCache& cache) {
    return {{"bytes", cache.size.count}, {"loss_unit", name_of(cache.loss_unit)}};
}

ordered_json written(const EraseUnit& unit) {
    return {{"bytes", unit.size.count}, {"partial_ns", unit.partial.count()}, {"open_units", unit.open_units}};
}

ordered_json written(const ProgramUnit& unit) {
    ordered_json out{{"bytes", unit.size.count}, {"partial_ns", unit.partial.count()}};
    if (unit.first.count != 0) out["offset_bytes"] = unit.first.count;
    return out;
}

ordered_json written(const SectorRange& sectors) {
    return {{"first_sector", sectors.first.index}, {"sector_count", sectors.count}};
}

ordered_json written(const BadSectors& bad) {
    ordered_json out = written(bad.sectors);
    out["fails"] = !bad.fail_writes ? "read" : !bad.fail_reads ? "write" : "both";
    return out;
}

ordered_json written(const SlowRegion& slow) {
    ordered_json out = written(slow.sectors);
    if (slow.rate) out["bytes_per_second"] = number(*slow.rate);
    put_time(out, "extra_ns", slow.extra);
    return out;
}

ordered_json written(const CorruptRegion& corrupt) {
    ordered_json out = written(corrupt.sectors);
    out["bits_per_sector"] = corrupt.bits_per_sector;
    return out;
}

template <class T>
void put_list(ordered_json& out, const char* name, const std::vector<T>& entries) {
    for (const T& entry : entries) out[name].push_back(written(entry));
}

template <class T>
void put_section(ordered_json& out, const char* name, const std::optional<T>& section) {
    if (section) out[name] = written(*section);
}

} // namespace

std::string_view name_of(Beyond beyond) {
    switch (beyond) {
        case Beyond::wrap:
            return "wrap";
        case Beyond::drop:
            return "drop";
        case Beyond::garbage:
            return "garbage";
    }
    return "?";
}

std::string_view name_of(LossUnit unit) {
    return unit == LossUnit::block ? "block" : "sector";
}

std::string card_config_text(const CardConfig& config) {
    ordered_json out = ordered_json::object();
    if (!config.description.empty()) out["description"] = config.description;
    if (!config.figures.empty()) out["figures"] = config.figures;
    out["claimed_bytes"] = config.claimed.count;
    if (config.real != config.claimed) out["real_bytes"] = config.real.count;
    if (config.beyond != Beyond::wrap) out["beyond_real"] = name_of(config.beyond);
    if (config.can_trim) out["can_trim"] = true;
    put_time(out, "command_overhead_ns", config.command_overhead);
    if (config.read != OperationCost{}) out["read"] = written(config.read);
    if (config.write != OperationCost{}) out["write"] = written(config.write);
    put_time(out, "joins_within_ns", config.joins_within);
    put_time(out, "flush_ns", config.flush_latency);
    put_section(out, "slc_cache", config.slc_cache);
    put_section(out, "thermal", config.thermal);
    put_section(out, "garbage_collection", config.garbage_collection);
    put_section(out, "disk", config.disk);
    put_section(out, "volatile_cache", config.volatile_cache);
    put_section(out, "erase_unit", config.erase_unit);
    put_section(out, "program_unit", config.program_unit);
    put_list(out, "bad_sectors", config.bad_sectors);
    put_list(out, "slow_regions", config.slow_regions);
    put_list(out, "corrupt_regions", config.corrupt_regions);
    if (config.corrupt_one_sector_in != 0) out["corrupt_one_sector_in"] = config.corrupt_one_sector_in;
    if (config.smart_critical_warning != 0) out["smart_critical_warning"] = config.smart_critical_warning;
    if (config.start_value != 1) out["start_value"] = config.start_value;
    return out.dump(4, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace mediarig::lab
