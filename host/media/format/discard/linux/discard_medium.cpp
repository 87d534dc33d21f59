// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/discard/linux/discard_medium.hpp"

#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include "host/media/claim/linux/kernel/node_lock.hpp"

namespace mediarig::media {
namespace {

class ClaimedDevice final : public Discardable {
public:
    explicit ClaimedDevice(const ErasableMedium& medium) : medium_(medium) {}

    Result<void> write(Bytes at, std::span<const std::byte> bytes) override {
        return moved(::pwrite(medium_.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(at.count)),
                     bytes.size(), "written", at);
    }
    Result<void> read(Bytes at, std::span<std::byte> bytes) override {
        return moved(::pread(medium_.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(at.count)),
                     bytes.size(), "read", at);
    }
    Result<void> drop_cached_data() override { return drop_cached(medium_.descriptor()); }

    Result<bool> discard(Bytes at, Bytes length) override {
        // A medium of hundreds of gigabytes takes minutes and may be unplugged in that time.
        if (auto same = medium_.check_same(); !same) return fail(same.error());
        std::array<std::uint64_t, 2> range{at.count, length.count};
        if (::ioctl(medium_.descriptor(), BLKDISCARD, range.data()) == 0) return true;
        // EREMOTEIO: the kernel assumed support, but the device refused the command.
        if (errno == EOPNOTSUPP || errno == ENOTTY || errno == EREMOTEIO) return false;
        return fail(Errc::io_failed, fmt::format("{} cannot be discarded at byte {}: {}", medium_.medium().node,
                                                 at.count, std::strerror(errno)));
    }

private:
    [[nodiscard]] Result<void> moved(ssize_t done, std::size_t wanted, const char* what, Bytes at) const {
        if (done == static_cast<ssize_t>(wanted)) return {};
        return fail(Errc::io_failed, fmt::format("{} cannot be {} at byte {}: {}", medium_.medium().node, what,
                                                 at.count, done < 0 ? std::strerror(errno) : "it ended"));
    }

    const ErasableMedium& medium_;
};

} // namespace

Result<DiscardReport> discard_medium(ErasableMedium& medium, Discovery& discovery, const std::atomic<bool>* cancel) {
    if (auto same = medium.recheck(discovery); !same) return fail(same.error());
    const std::optional<QueueLimits>& queue = medium.medium().queue;
    if (queue && queue->discard_max == 0_B) return DiscardReport{};
    ClaimedDevice device(medium);
    std::random_device entropy;
    const std::uint64_t start_value = (std::uint64_t{entropy()} << 32U) | entropy();
    return discard_all(device, {.size = medium.medium().size,
                                .granularity = queue ? queue->discard_granularity : 0_B,
                                .start_value = start_value,
                                .cancel = cancel});
}

} // namespace mediarig::media
