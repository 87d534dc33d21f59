// SPDX-License-Identifier: GPL-3.0-or-later
/// The bytes of a modelled medium in memory, for tests: sparse, with failures on request.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

#include "host/lab/card/storage.hpp"

namespace mediarig::lab {

class MemoryStorage final : public Storage {
public:
    explicit MemoryStorage(Bytes size) : size_(size) {}

    std::string failure{}; ///< if not empty, every method fails with this text

    Result<void> read(std::uint64_t offset, std::span<std::byte> into) override {
        if (auto refused = check(offset, into.size()); !refused) return refused;
        for (std::size_t at = 0; at < into.size(); at += sector) {
            const auto found = sectors_.find(offset + at);
            if (found == sectors_.end()) {
                std::memset(into.data() + at, 0, sector);
            } else {
                std::memcpy(into.data() + at, found->second.data(), sector);
            }
        }
        return {};
    }
    Result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
        if (auto refused = check(offset, from.size()); !refused) return refused;
        for (std::size_t at = 0; at < from.size(); at += sector)
            std::memcpy(sectors_[offset + at].data(), from.data() + at, sector);
        return {};
    }
    Result<void> clear(std::uint64_t offset, Bytes size) override {
        if (auto refused = check(offset, size.count); !refused) return refused;
        sectors_.erase(sectors_.lower_bound(offset), sectors_.lower_bound(offset + size.count));
        return {};
    }
    /// Number of sectors written and not cleared since.
    [[nodiscard]] std::size_t sectors_held() const { return sectors_.size(); }

private:
    static constexpr std::size_t sector = 512;
    [[nodiscard]] Result<void> check(std::uint64_t offset, std::uint64_t size) const {
        if (!failure.empty()) return fail(Errc::io_failed, failure);
        if (offset % sector != 0 || size % sector != 0) return fail(Errc::io_failed, "no whole sectors");
        if (offset + size > size_.count) return fail(Errc::io_failed, "past the end of the storage");
        return {};
    }
    Bytes size_;
    std::map<std::uint64_t, std::array<std::byte, sector>> sectors_;
};

} // namespace mediarig::lab
