// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resources/uplink/meter.hpp"

#include <algorithm>

namespace mediarig::uplink {
namespace {

constexpr double nearly_whole = 0.9; ///< seconds of activity after which a medium counts for the whole second

} // namespace

void Meter::begin(const std::string& medium, std::chrono::nanoseconds now) {
    last_[medium] = {now, 0};
}

void Meter::moved(const std::string& medium, const std::vector<std::string>& uplinks, std::chrono::nanoseconds now,
                  Bytes done) {
    Report& last = last_[medium];
    const double from = std::chrono::duration<double>(last.at).count(), to = std::chrono::duration<double>(now).count();
    if (to <= from) return;
    const double rate = done.count > last.done ? static_cast<double>(done.count - last.done) / (to - from) : 0;
    last = {now, std::max(done.count, last.done)};
    if (rate == 0) return;
    for (auto second = static_cast<std::uint64_t>(from); static_cast<double>(second) < to; ++second) {
        const double length =
            std::min(to, static_cast<double>(second + 1)) - std::max(from, static_cast<double>(second));
        for (const std::string& uplink : uplinks) {
            Share& share = seconds_[uplink][second][medium];
            share.bytes += rate * length;
            share.seconds += length;
        }
    }
}

std::vector<MeasuredCeiling> Meter::ceilings(std::uint64_t window) const {
    std::vector<MeasuredCeiling> found;
    for (const auto& [uplink, seconds] : seconds_) {
        MeasuredCeiling best{.uplink = uplink};
        double bytes = 0;
        std::uint64_t next = 0;
        std::vector<double> in_window;
        unsigned fewest = 0;
        for (const auto& [second, media] : seconds) {
            double moved = 0;
            unsigned whole = 0;
            for (const auto& [medium, share] : media) {
                moved += share.bytes;
                if (share.seconds >= nearly_whole) ++whole;
            }
            if (whole < 2 || second != next) {
                in_window.clear();
                bytes = 0;
            }
            next = second + 1;
            if (whole < 2) continue;
            fewest = in_window.empty() ? whole : std::min(fewest, whole);
            bytes += moved;
            in_window.push_back(moved);
            if (in_window.size() > window) {
                bytes -= in_window.front();
                in_window.erase(in_window.begin());
            }
            const double mean = bytes / static_cast<double>(window);
            if (in_window.size() == window && mean > best.bytes_per_second) {
                best.bytes_per_second = mean;
                best.media = fewest;
            }
        }
        if (best.media != 0) found.push_back(std::move(best));
    }
    return found;
}

} // namespace mediarig::uplink
