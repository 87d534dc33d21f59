// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/timing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/lab/card/random.hpp"

namespace mediarig::lab {
namespace {

using std::chrono::nanoseconds;

constexpr double unlimited = std::numeric_limits<double>::infinity();

double capped(double rate, const std::optional<Rate>& cap) {
    return cap ? std::min(rate, cap->bytes_per_second) : rate;
}

double seconds_for(Bytes size, double rate) {
    return static_cast<double>(size.count) / rate; // 0 at an unlimited rate
}

nanoseconds whole_ns(double seconds) {
    // Longer than any run; keeps the sums of absurd configurations below 2^63.
    constexpr double longest = 1e6;
    return nanoseconds(std::llround(std::min(seconds, longest) * 1e9));
}

template <class State, class Section, class... Others>
std::optional<State> state_of(const std::optional<Section>& section, Others... others) {
    return section ? std::optional<State>(std::in_place, *section, others...) : std::nullopt;
}

bool touches(const SectorRange& sectors, std::uint64_t offset, Bytes size) {
    return offset < sectors.end() * sector_size.count &&
           offset + size.count > byte_offset(sectors.first, sector_size).count;
}

} // namespace

Timing::Timing(const CardConfig& config)
    : config_(config),
      rotation_(sequence(config.start_value, Purpose::rotation)),
      slc_(state_of<SlcState>(config.slc_cache)),
      collection_(state_of<CollectionState>(config.garbage_collection, config.start_value)),
      erase_units_(state_of<EraseUnitState>(config.erase_unit)),
      program_units_(state_of<ProgramUnitState>(config.program_unit)),
      celsius_(config.thermal.value_or(Thermal{}).ambient_celsius) {}

std::optional<Bytes> Timing::slc_free_space() const {
    return slc_ ? std::optional(slc_->free_space()) : std::nullopt;
}

nanoseconds Timing::transfer(Transfer kind, std::uint64_t offset, Bytes size, Moment now) {
    const bool writes = kind == Transfer::write;
    auto& next = next_offset_.at(writes ? 1 : 0);
    const bool goes_on = config_.joins_within > nanoseconds{} && next == offset && last_kind_ == kind &&
                         now - free_at_ < config_.joins_within;
    rest_until(now);
    last_kind_ = kind;
    const OperationCost& cost = writes ? config_.write : config_.read;
    std::optional<Rate> rate = cost.rate;
    nanoseconds latency = cost.latency;
    for (const SizeClass& size_class : cost.by_size) {
        if (size < size_class.from) break;
        rate = size_class.rate ? size_class.rate : cost.rate;
        latency = size_class.latency.value_or(cost.latency);
    }
    nanoseconds took = goes_on ? nanoseconds{} : config_.command_overhead + latency;
    if (next != offset) took += cost.random_latency;
    next = offset + size.count;
    if (config_.disk) took += move_head(offset);
    head_ = offset + size.count;
    for (const SlowSectors& slow : config_.slow_regions)
        if (touches(slow.sectors, offset, size)) took += slow.extra;
    took += whole_ns(data_seconds(kind, offset, size, rate));
    if (writes && collection_) took += collection_->write(size);
    if (writes && erase_units_) {
        const auto copies = static_cast<nanoseconds::rep>(erase_units_->write(offset, size));
        took += erase_units_->unit().partial * copies;
    }
    if (writes && program_units_) {
        const auto units = static_cast<nanoseconds::rep>(program_units_->write(offset, size, goes_on));
        took += program_units_->unit().partial * units;
        // No transfer can join this command, so it is complete.
        if (config_.joins_within == nanoseconds{}) took += settle();
    } else {
        took += settle();
    }
    busy_for(took, size);
    return took;
}

nanoseconds Timing::flush(Moment now) {
    rest_until(now);
    const nanoseconds took = config_.command_overhead + config_.flush_latency + settle();
    busy_for(took, 0_B);
    return took;
}

nanoseconds Timing::command(Moment now) {
    rest_until(now);
    const nanoseconds took = config_.command_overhead + settle();
    busy_for(took, 0_B);
    return took;
}

nanoseconds Timing::settle() {
    if (!program_units_) return {};
    return program_units_->unit().partial * static_cast<nanoseconds::rep>(program_units_->settle());
}

void Timing::rest_until(Moment now) {
    if (now <= free_at_) return;
    const nanoseconds idle = now - free_at_;
    free_at_ = now;
    if (slc_) slc_->rest(idle);
    cool(idle);
}

void Timing::busy_for(nanoseconds took, Bytes moved) {
    free_at_ += took;
    if (!config_.thermal) return;
    cool(took);
    celsius_ += static_cast<double>(moved.count) / 1e9 * config_.thermal->degrees_per_gigabyte;
    if (celsius_ >= config_.thermal->throttle_at_celsius) throttled_by_heat_ = true;
}

void Timing::cool(nanoseconds time) {
    if (!config_.thermal) return;
    const Thermal& thermal = *config_.thermal;
    const double ratio = static_cast<double>(time.count()) / static_cast<double>(thermal.cooling_time.count());
    celsius_ = thermal.ambient_celsius + (celsius_ - thermal.ambient_celsius) * std::exp(-ratio);
    if (celsius_ < thermal.resume_at_celsius) throttled_by_heat_ = false;
}

nanoseconds Timing::move_head(std::uint64_t offset) {
    if (offset == head_) return {};
    const Disk& disk = *config_.disk;
    const std::uint64_t distance = offset > head_ ? offset - head_ : head_ - offset;
    // An arm accelerates for half of the distance, so the time grows with the square root of the distance. Source:
    // Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994.
    const double way = static_cast<double>(distance) / static_cast<double>(config_.claimed.count);
    const double longest = static_cast<double>((disk.full_stroke - disk.track_to_track).count());
    const double seek = static_cast<double>(disk.track_to_track.count()) + longest * std::sqrt(way);
    const double turn = 60e9 / static_cast<double>(disk.revolutions_per_minute);
    return nanoseconds(std::llround(seek + turn * fraction(rotation_)));
}

double Timing::rate_at(std::uint64_t offset) const {
    // The bit density along a track and the track density are constant: the rate is proportional to the radius, the
    // remaining capacity to its square.
    const double outer = config_.disk->outer_rate.bytes_per_second;
    const double inner = config_.disk->inner_rate.bytes_per_second;
    const double position = static_cast<double>(offset) / static_cast<double>(config_.claimed.count);
    return std::sqrt(outer * outer - position * (outer * outer - inner * inner));
}

double Timing::data_seconds(Transfer kind, std::uint64_t offset, Bytes size, const std::optional<Rate>& own_rate) {
    const bool writes = kind == Transfer::write;
    double rate = own_rate ? own_rate->bytes_per_second : unlimited;
    if (config_.disk) rate = std::min(rate, rate_at(offset));
    if (throttled_by_heat_) rate = capped(rate, config_.thermal->throttled_rate);
    rate = capped(rate, writes ? throttle_.write : throttle_.read);

    const std::uint64_t end = offset + size.count;
    double seconds = 0;
    while (offset < end) {
        // Continue to the next border of a slow region or to the point at which the fast cells are full.
        std::uint64_t to = end;
        double here = rate;
        for (const SlowSectors& slow : config_.slow_regions) {
            if (!slow.rate) continue;
            const std::uint64_t first = byte_offset(slow.sectors.first, sector_size).count;
            const std::uint64_t last = slow.sectors.end() * sector_size.count;
            if (offset >= last || to <= first) continue;
            if (offset < first) {
                to = first;
            } else {
                here = capped(here, slow.rate);
                to = std::min(to, last);
            }
        }
        if (writes && slc_) {
            const Bytes free_space = slc_->free_space();
            if (free_space == 0_B) {
                here = capped(here, slc_->cache().direct_rate);
            } else {
                to = std::min(to, offset + free_space.count);
                slc_->fill({to - offset});
            }
        }
        seconds += seconds_for({to - offset}, here);
        offset = to;
    }
    return seconds;
}

} // namespace mediarig::lab
