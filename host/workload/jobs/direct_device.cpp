// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/direct_device.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace mediarig::workload {

Result<std::unique_ptr<DirectDevice>> DirectDevice::open(const System& system, const JobTarget& target,
                                                         const BackingDevice& device, OnIoError policy) {
    auto file = system.reopen(target.device_fd, CachePolicy::direct, SyncLevel::none);
    if (!file) return fail(file.error());
    if ((*file)->used() != CachePolicy::direct)
        return fail(Errc::bad_request, target.path +
                                           " refuses direct access, so reads could come from the page cache; run "
                                           "verify, which empties that cache");
    const auto size = (*file)->size();
    if (!size) return fail(size.error());
    const auto sectors = device.sectors();
    const Bytes sector = std::max(sectors ? sectors->logical : 512_B, 512_B);
    return std::unique_ptr<DirectDevice>(
        new DirectDevice(std::move(*file), *size, sector, device, system.clock(), policy));
}

DirectDevice::DirectDevice(std::unique_ptr<MediumFile> file, Bytes size, Bytes sector, const BackingDevice& device,
                           const TickClock& clock, OnIoError policy)
    : file_(std::move(file)),
      size_(size),
      sector_(sector),
      device_(device),
      clock_(clock),
      policy_(policy),
      loss_([this] { return device_.gone(); }, [this] { return device_.responds(); }) {}

int DirectDevice::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    written_ = true;
    const Ticks start = clock_.now();
    const int error = file_->write(bytes, offset).error;
    if (error != 0) host_fault_ = device_.host_full({bytes.size()});
    if (error != 0) failing_ += clock_.now() - start;
    return error;
}

int DirectDevice::read(std::span<std::byte> bytes, std::uint64_t offset) {
    // Data written since the last read may be in a cache of the host that is larger than any cache of a medium.
    if (std::exchange(written_, false)) below_dropped_ = device_.drop_host_cache() && below_dropped_;
    const Ticks start = clock_.now();
    const TransferResult moved = file_->read(bytes, offset);
    const Ticks took = clock_.now() - start;
    const int error = moved.error == 0 && moved.bytes < bytes.size() ? EIO : moved.error;
    if (error != 0) failing_ += took;
    Ticks& longest = longest_reads_[offset];
    longest = std::max(longest, took);
    return error;
}

int DirectDevice::flush() {
    const Ticks start = clock_.now();
    const int error = file_->flush();
    if (error != 0) host_fault_ = device_.host_full(0_B);
    if (error != 0) failing_ += clock_.now() - start;
    return error;
}

std::chrono::nanoseconds DirectDevice::longest_read_at(std::uint64_t offset) const {
    const auto found = longest_reads_.find(offset);
    return std::chrono::nanoseconds(
        found == longest_reads_.end() ? 0 : static_cast<std::int64_t>(clock_.to_ns(found->second)));
}

} // namespace mediarig::workload
