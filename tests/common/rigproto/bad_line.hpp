// SPDX-License-Identifier: GPL-3.0-or-later
/// A line that damages frames. It works in virtual time, and its faults are equal for equal seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace mediarig::tests {

struct LineFaults {
    unsigned per_mille{10}; ///< frames per thousand that suffer each kind of fault
};
struct LineCounts {
    std::uint64_t frames{}, corrupted{}, dropped{}, duplicated{}, stale{}, severed{};
};

/// One direction of the line.
class BadLine {
public:
    BadLine(LineFaults faults, std::uint32_t start) : faults_(faults), random_(start) {}

    void send(const std::vector<std::uint8_t>& bytes, std::uint64_t now_us) {
        for (const std::uint8_t byte : bytes) {
            open_.push_back(byte);
            if (byte != 0) continue;
            if (open_.size() > 1)
                frame(std::exchange(open_, {}), now_us);
            else
                deliver(std::exchange(open_, {}), now_us);
        }
    }

    /// Returns the bytes that have arrived by now.
    std::vector<std::uint8_t> receive(std::uint64_t now_us) {
        std::vector<std::uint8_t> bytes;
        while (!active_.empty() && active_.begin()->first <= now_us) {
            const auto& piece = active_.begin()->second;
            bytes.insert(bytes.end(), piece.begin(), piece.end());
            active_.erase(active_.begin());
        }
        return bytes;
    }

    /// The host closes the line and opens it again: bytes in transit may be lost, and frames of the ended session may
    /// arrive later.
    void sever(std::uint64_t now_us) {
        ++counts.severed;
        open_.clear();
        if (random_() % 2 == 0) active_.clear();
        old_.insert(old_.end(), recent_.begin(), recent_.end());
        recent_.clear();
        constexpr std::size_t kept = 400;
        if (old_.size() > kept) old_.erase(old_.begin(), old_.end() - kept);
        latest_us_ = now_us;
    }

    LineCounts counts;

private:
    using Bytes = std::vector<std::uint8_t>;

    bool happens() { return random_() % 1000 < faults_.per_mille; }

    void frame(Bytes bytes, std::uint64_t now_us) {
        ++counts.frames;
        recent_.push_back(bytes);
        if (!old_.empty() && happens()) {
            ++counts.stale;
            deliver(old_[random_() % old_.size()], now_us);
        }
        if (happens()) {
            ++counts.dropped;
            return;
        }
        const bool twice = happens();
        if (happens()) {
            ++counts.corrupted;
            corrupt(bytes);
        }
        deliver(bytes, now_us);
        if (!twice) return;
        ++counts.duplicated;
        // Some copies arrive at once, some much later. Many frames overtake a late copy, and it overtakes no frame.
        active_.emplace(latest_us_ + (random_() % 2 == 0 ? 0 : random_() % 300'000), bytes);
    }

    void corrupt(Bytes& bytes) {
        switch (random_() % 4) {
            case 0: // flips a bit
                bytes[random_() % bytes.size()] ^= static_cast<std::uint8_t>(1U << random_() % 8);
                break;
            case 1: // damages several bytes; may insert delimiters or remove the last delimiter
                for (std::size_t at = random_() % bytes.size(); at < bytes.size() && random_() % 4 != 0; ++at)
                    bytes[at] = static_cast<std::uint8_t>(random_());
                break;
            case 2: // removes the end of the frame with its delimiter
                bytes.resize(random_() % bytes.size());
                break;
            default: // removes a byte
                bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(random_() % bytes.size()));
        }
    }

    void deliver(const Bytes& bytes, std::uint64_t now_us) {
        latest_us_ = std::max(latest_us_, now_us + 100 + random_() % 900);
        active_.emplace(latest_us_, bytes);
    }

    LineFaults faults_;
    std::mt19937 random_;
    Bytes open_; ///< bytes of a frame whose end has not been sent yet
    std::multimap<std::uint64_t, Bytes> active_;
    std::vector<Bytes> recent_, old_; ///< frames of this session, and of earlier sessions
    std::uint64_t latest_us_{};
};

} // namespace mediarig::tests
