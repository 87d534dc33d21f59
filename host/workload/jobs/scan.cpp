// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/scan.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "common/split_mix.hpp"

namespace mediarig::workload {
namespace {

using std::chrono::nanoseconds;

constexpr Bytes longest_read{std::uint64_t{1} << 20};
constexpr Bytes smallest_read{4096};
constexpr std::uint64_t most_regions = 512;
constexpr std::size_t most_places = 1000;
constexpr std::uint32_t repetitions = 5;
constexpr int times_median = 3;
constexpr nanoseconds least_delay = std::chrono::milliseconds(10);

class Scan {
public:
    Scan(ReadableMedium& medium, const ScanRequest& request, const ScanClock& now, JobControl& control,
         TransferBuffer buffer)
        : medium_(medium), request_(request), now_(now), control_(control), buffer_(std::move(buffer)) {}

    Result<ScanReport> run() {
        const nanoseconds start = now_();
        report_.size = align_down(medium_.size(), medium_.sector());
        if (report_.size == 0_B) return fail(Errc::no_medium, "the device reports no size: is its slot empty?");
        report_.transfer = longest_read;
        divide();
        auto read = request_.time_limit.count() == 0 ? read_all() : read_samples(start);
        if (read) {
            report_.median = median_of(times_);
            read = repeat_weak();
        }
        if (!read) return fail(read.error());
        report_.elapsed = now_() - start;
        return std::move(report_);
    }

private:
    struct Transfer {
        Extent part;
        nanoseconds took{}; ///< of a successful read
        bool failed{};
    };

    void divide() {
        const std::uint64_t transfers =
            std::max<std::uint64_t>(align_up(report_.size, longest_read).count / longest_read.count, 1);
        // A power of two, so that samples can visit the regions in an order that is even at any time.
        const std::uint64_t regions = std::bit_floor(std::min(transfers, most_regions));
        const std::uint64_t length = (transfers + regions - 1) / regions * longest_read.count;
        for (std::uint64_t at = 0; at < report_.size.count; at += length)
            report_.regions.push_back(
                {.offset = {at}, .length = {std::min(length, report_.size.count - at)}, .read = {}});
    }

    Result<void> read_all() {
        control_.bytes_total.store(report_.size.count, std::memory_order_relaxed);
        for (std::uint64_t at = 0; at < report_.size.count && report_.stopped.empty(); at += longest_read.count)
            if (auto done = read_part({at, std::min(at + longest_read.count, report_.size.count)}); !done) return done;
        report_.whole = report_.stopped.empty();
        return {};
    }

    Result<void> read_samples(nanoseconds start) {
        SplitMix numbers(request_.seed);
        const std::uint64_t regions = std::bit_ceil(report_.regions.size());
        const int unused = std::countl_zero(regions - 1);
        for (std::uint64_t i = 0; now_() - start < request_.time_limit && report_.stopped.empty(); ++i) {
            const std::uint64_t index = regions == 1 ? 0 : reversed(i % regions) >> unused;
            if (index >= report_.regions.size()) continue;
            const ScanRegion& region = report_.regions[index];
            const std::uint64_t transfers = align_up(region.length, longest_read).count / longest_read.count;
            const std::uint64_t at = region.offset.count + numbers.next() % transfers * longest_read.count;
            if (auto done = read_part({at, std::min(at + longest_read.count, report_.size.count)}); !done) return done;
        }
        return {};
    }

    static std::uint64_t reversed(std::uint64_t number) {
        std::uint64_t result = 0;
        for (int bit = 0; bit < 64; ++bit) result |= (number >> bit & 1) << (63 - bit);
        return result;
    }

    Result<Transfer> transfer(Extent part) {
        if (control_.cancel.load(std::memory_order_relaxed)) return fail(Errc::cancelled, "cancelled during the scan");
        const nanoseconds begun = now_();
        const int error =
            medium_.read(buffer_.bytes().first(static_cast<std::size_t>(part.end - part.begin)), part.begin);
        Transfer result{.part = part, .took = now_() - begun, .failed = error != 0};
        if (error == 0) return result;
        control_.failures.add(false, part.begin, error);
        failing_ += result.took;
        if (medium_.gone(error))
            return fail(Errc::no_medium, "the medium vanished or stopped answering during the scan");
        if (failing_ >= longest_failing) report_.stopped = "failed reads took five minutes";
        return result;
    }

    Result<void> read_part(Extent part) {
        const auto result = transfer(part);
        if (!result) return fail(result.error());
        control_.bytes_done.fetch_add(part.end - part.begin, std::memory_order_relaxed);
        if (result->failed) return read_blocks(part);
        pass_on(*result);
        count(*result);
        if (part.end - part.begin == longest_read.count) times_.push_back(result->took);
        slowest_.push_back(*result);
        if (slowest_.size() >= 2 * most_places) keep_slowest();
        return {};
    }

    /// Finds the unreadable blocks of a failed transfer.
    Result<void> read_blocks(Extent part) {
        const std::uint64_t block = std::max(smallest_read, medium_.sector()).count;
        for (std::uint64_t at = part.begin; at < part.end && report_.stopped.empty(); at += block) {
            const auto result = transfer({at, std::min(at + block, part.end)});
            if (!result) return fail(result.error());
            pass_on(*result);
            if (!result->failed) {
                count(*result);
                continue;
            }
            failed_.push_back(result->part);
            if (failed_.size() >= most_places) report_.stopped = "1000 blocks are unreadable";
        }
        return {};
    }

    void pass_on(const Transfer& done) {
        if (!request_.on_data) return;
        const std::size_t length = static_cast<std::size_t>(done.part.end - done.part.begin);
        request_.on_data(buffer_.bytes().first(done.failed ? 0 : length), {done.part.begin}, {length});
    }

    void count(const Transfer& done) {
        const std::uint64_t length = report_.regions.front().length.count;
        ScanRegion& region = report_.regions[static_cast<std::size_t>(done.part.begin / length)];
        region.read += Bytes{done.part.end - done.part.begin};
        region.elapsed += done.took;
        region.worst = std::max(region.worst, done.took);
        report_.read += Bytes{done.part.end - done.part.begin};
    }

    void keep_slowest() {
        const auto end = slowest_.begin() + static_cast<std::ptrdiff_t>(std::min(most_places, slowest_.size()));
        std::ranges::partial_sort(slowest_, end, std::greater(), &Transfer::took);
        slowest_.erase(end, slowest_.end());
    }

    static nanoseconds median_of(std::vector<nanoseconds> times) {
        if (times.empty()) return {};
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }

    [[nodiscard]] bool is_slow(nanoseconds took) const {
        return report_.median.count() > 0 && took > report_.median * times_median &&
               took >= report_.median + least_delay;
    }

    Result<void> repeat_weak() {
        std::vector<WeakPlace>& places = report_.places;
        for (const Extent& part : failed_) places.push_back(place_of(part, PlaceState::unreadable));
        keep_slowest();
        for (const Transfer& done : slowest_)
            if (is_slow(done.took) && places.size() < most_places)
                places.push_back(place_of(done.part, PlaceState::slow));
        std::ranges::sort(places, {}, &WeakPlace::offset);
        const auto [first, last] = std::ranges::unique(places, {}, &WeakPlace::offset); // a place sampled twice
        places.erase(first, last);
        // Rounds over all places, so that other data is read between two reads of a place.
        for (std::uint32_t round = 0; round < repetitions; ++round)
            for (WeakPlace& place : places) {
                if (failing_ >= longest_failing) break;
                const auto again = transfer({place.offset.count, (place.offset + place.length).count});
                if (!again) return fail(again.error());
                if (again->failed)
                    ++place.failed;
                else
                    place.took.push_back(again->took);
            }
        std::erase_if(places, [this](const WeakPlace& place) {
            const auto slow = std::ranges::count_if(place.took, [this](nanoseconds took) { return is_slow(took); });
            return place.state == PlaceState::slow && place.failed == 0 &&
                   slow <= static_cast<std::ptrdiff_t>(repetitions / 2);
        });
        for (WeakPlace& place : places)
            if (place.failed + place.took.size() > 0)
                place.state = place.took.empty() ? PlaceState::unreadable : PlaceState::slow;
        return {};
    }

    static WeakPlace place_of(Extent part, PlaceState first) {
        return {.offset = {part.begin}, .length = {part.end - part.begin}, .state = first, .took = {}};
    }

    ReadableMedium& medium_;
    const ScanRequest& request_;
    const ScanClock& now_;
    JobControl& control_;
    TransferBuffer buffer_;
    ScanReport report_;
    std::vector<nanoseconds> times_;
    std::vector<Transfer> slowest_; ///< candidates
    std::vector<Extent> failed_;
    nanoseconds failing_{};
};

} // namespace

Result<ScanReport> scan(ReadableMedium& medium, const ScanRequest& request, const ScanClock& now, JobControl& control) {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(longest_read.count));
    if (!buffer) return fail(buffer.error());
    return Scan(medium, request, now, control, std::move(*buffer)).run();
}

} // namespace mediarig::workload
