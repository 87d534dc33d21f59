// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/restore.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/fnv1a.hpp"
#include "host/base/text.hpp"

namespace mediarig::workload {
namespace {

constexpr std::size_t sector_size = Pattern::sector_size;
/// Number of rounds in which a test may write: far more than a probe makes.
constexpr std::uint32_t most_rounds = 1U << 16;

std::uint64_t hash_of(std::span<const std::byte> sector) {
    return fnv1a<std::uint64_t>({reinterpret_cast<const char*>(sector.data()), sector.size()});
}

/// The first cells of a sector that the test wrote contain its place.
constexpr std::size_t cells_read = 4;

bool is_stamp(const Pattern& pattern, const UndoHeader& header, std::span<const std::byte> sector) {
    const auto place = pattern.stamp_in(sector.first(cells_read * Pattern::cell_size));
    return place && place->generation - header.generation < most_rounds;
}

class Restorer {
public:
    Restorer(ProbedMedium& medium, const UndoLog& log, const RestoreRequest& request, TransferBuffer buffer)
        : medium_(medium),
          log_(log),
          request_(request),
          pattern_(log.header.seed, log.header.generation),
          buffer_(std::move(buffer)) {}

    Result<RestoreReport> run() {
        if (const SizeTexts sizes = size_texts(medium_.size(), log_.header.size); medium_.size() != log_.header.size)
            return fail(Errc::refused,
                        "the medium has " + sizes.first + ", and the saved data belong to one of " + sizes.second);
        report_.places = log_.entries.size();
        for (const UndoEntry& entry : log_.entries) report_.bytes += Bytes{entry.data.size()};
        if (request_.mode == RestoreMode::unchanged) {
            const auto needed = survey();
            if (!needed) return fail(needed.error());
            if (!*needed) return report_;
        }
        // The second attempt also corrects a place that a later write to an alias has changed.
        constexpr int attempts = 2;
        for (int attempt = 0; attempt < attempts; ++attempt) {
            if (auto written = write_all(); !written) return fail(written.error());
            if (auto compared = compare_all(); !compared) return fail(compared.error());
            if (report_.lost == 0) break;
        }
        // Data in a volatile cache can be read back, and are lost with the power.
        if (const int error = medium_.flush(); error != 0) {
            if (auto present = check_present(error); !present) return fail(present.error());
            return fail(Errc::io_failed,
                        "the medium refuses to flush its cache, so its content is not certain to be durable");
        }
        return report_;
    }

private:
    [[nodiscard]] bool is_of_test(std::span<const std::byte> sector) const {
        return is_stamp(pattern_, log_.header, sector);
    }

    /// Called between two places, and between two sectors of a place that fails.
    [[nodiscard]] Result<void> may_continue() const {
        if (request_.cancel != nullptr && request_.cancel->load(std::memory_order_relaxed))
            return fail(Errc::cancelled, "cancelled during the restore: start it again, it continues");
        return {};
    }
    /// Called after a failed transfer.
    [[nodiscard]] Result<void> check_present(int error) {
        if (auto fault = medium_.host_fault()) return fail(std::move(*fault));
        if (medium_.gone(error))
            return fail(Errc::no_medium, "the medium vanished or stopped answering during the restore");
        return {};
    }

    /// Reads into the buffer, in sectors if a read fails. Returns which 512-byte units were read.
    Result<std::vector<bool>> fetch(const UndoEntry& entry) {
        if (auto go_on = may_continue(); !go_on) return fail(go_on.error());
        const auto bytes = buffer_.bytes().first(entry.data.size());
        std::vector<bool> came(bytes.size() / sector_size, true);
        const int error = medium_.read(bytes, entry.offset);
        if (error == 0) return came;
        if (auto present = check_present(error); !present) return fail(present.error());
        const auto sector = static_cast<std::size_t>(medium_.sector().count);
        for (std::size_t at = 0; at < bytes.size(); at += sector) {
            if (auto go_on = may_continue(); !go_on) return fail(go_on.error()); // each failure may take seconds
            const auto part = bytes.subspan(at, std::min(sector, bytes.size() - at));
            const int again = medium_.read(part, entry.offset + at);
            if (again != 0)
                if (auto present = check_present(again); !present) return fail(present.error());
            for (std::size_t i = at; i < at + part.size(); i += sector_size) came[i / sector_size] = again == 0;
        }
        return came;
    }

    /// Returns true if a place contains data of the test or cannot be read. Refuses changed data, and a medium without
    /// data of the test whose content is not the saved content: only data of the test identify the medium.
    Result<bool> survey() {
        std::unordered_set<std::uint64_t> saved_anywhere;
        for (const UndoEntry& entry : log_.entries)
            for (std::size_t at = 0; at < entry.data.size(); at += sector_size)
                saved_anywhere.insert(hash_of(entry.data.subspan(at, sector_size)));
        bool test_data = false, unreadable = false;
        std::uint64_t changed = 0, moved = 0;
        std::optional<std::uint64_t> first;
        for (const UndoEntry& entry : log_.entries) {
            const auto came = fetch(entry);
            if (!came) return fail(came.error());
            bool foreign = false, elsewhere = false;
            for (std::size_t at = 0; at < entry.data.size(); at += sector_size) {
                const auto sector = buffer_.bytes().subspan(at, sector_size);
                const auto saved = entry.data.subspan(at, sector_size);
                if (!(*came)[at / sector_size])
                    unreadable = true;
                else if (is_of_test(sector))
                    test_data = true;
                else if (!saved_anywhere.contains(hash_of(sector)))
                    foreign = true;
                else if (!std::ranges::equal(saved, sector) && !is_of_test(saved))
                    elsewhere = true;
            }
            if (elsewhere) ++moved;
            if (!foreign) continue;
            ++changed;
            if (!first) first = entry.offset;
        }
        if (changed > 0)
            return fail(Errc::refused, std::to_string(changed) + " of " + std::to_string(log_.entries.size()) +
                                           " places contain data that were written after the test, the first at byte " +
                                           std::to_string(*first) + ", or this is another medium: nothing was written");
        if (!test_data && moved > 0)
            return fail(Errc::refused, "the medium contains no test data, and " + std::to_string(moved) + " of " +
                                           std::to_string(log_.entries.size()) +
                                           " places differ from the saved content: this is another medium, or it was "
                                           "changed after the test; nothing was written");
        return test_data || unreadable;
    }

    Result<void> write_all() {
        report_.lost = 0;
        report_.written = {};
        for (auto entry = log_.entries.rbegin(); entry != log_.entries.rend(); ++entry) {
            if (auto go_on = may_continue(); !go_on) return go_on;
            if (request_.permit != nullptr)
                if (auto allowed = request_.permit->check(); !allowed) return allowed;
            // A mapped file is not aligned for direct transfers.
            const auto bytes = buffer_.bytes().first(entry->data.size());
            std::memcpy(bytes.data(), entry->data.data(), bytes.size());
            if (auto done = write(bytes, entry->offset); !done) return done;
            // A cache that keeps the addresses apart may write them in any order. A flush fixes the order. An order
            // that a failed flush permits is detected by reading back.
            if (const int error = medium_.flush(); error != 0)
                if (auto present = check_present(error); !present) return present;
        }
        return {};
    }

    /// Sectors that fail do not prevent the others from being written. compare_all() counts them.
    Result<void> write(std::span<const std::byte> bytes, std::uint64_t offset) {
        report_.written += Bytes{bytes.size()};
        const int error = medium_.write(bytes, offset);
        if (error == 0) return {};
        if (auto present = check_present(error); !present) return present;
        const auto sector = static_cast<std::size_t>(medium_.sector().count);
        for (std::size_t at = 0; at < bytes.size(); at += sector) {
            if (auto go_on = may_continue(); !go_on) return go_on;
            if (const int again = medium_.write(bytes.subspan(at, std::min(sector, bytes.size() - at)), offset + at);
                again != 0)
                if (auto present = check_present(again); !present) return present;
        }
        return {};
    }

    Result<void> compare_all() {
        for (const UndoEntry& entry : log_.entries) {
            const auto came = fetch(entry);
            if (!came) return fail(came.error());
            for (std::size_t at = 0; at < entry.data.size(); at += sector_size) {
                const auto saved = entry.data.subspan(at, sector_size);
                const bool same =
                    (*came)[at / sector_size] && std::ranges::equal(saved, buffer_.bytes().subspan(at, sector_size));
                const Bytes here{entry.offset + at};
                if (same || (request_.memory_end && here >= *request_.memory_end) || is_of_test(saved)) continue;
                if (report_.lost++ == 0) report_.first_lost = here;
            }
        }
        return {};
    }

    ProbedMedium& medium_;
    const UndoLog& log_;
    const RestoreRequest& request_;
    Pattern pattern_;
    TransferBuffer buffer_;
    RestoreReport report_;
};

} // namespace

Result<RestoreReport> restore(ProbedMedium& medium, const UndoLog& log, const RestoreRequest& request) {
    auto buffer = TransferBuffer::allocate(UndoEncoder::largest_data);
    if (!buffer) return fail(buffer.error());
    return Restorer(medium, log, request, std::move(*buffer)).run();
}

Result<UndoMatch> match_of(ReadableMedium& medium, const UndoLog& log, const std::atomic<bool>* cancel) {
    auto buffer = TransferBuffer::allocate(UndoEncoder::largest_data);
    if (!buffer) return fail(buffer.error());
    const Pattern pattern(log.header.seed, log.header.generation);
    UndoMatch match;
    for (const UndoEntry& entry : log.entries) {
        if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
            return fail(Errc::cancelled, "cancelled during the search for test data");
        const auto bytes = buffer->bytes().first(entry.data.size());
        if (const int error = medium.read(bytes, entry.offset); error != 0) {
            if (medium.gone(error)) return fail(Errc::no_medium, "the medium vanished or stopped answering");
            match.saved_content = false;
            continue;
        }
        match.saved_content = match.saved_content && std::ranges::equal(bytes, entry.data);
        for (std::size_t at = 0; at < bytes.size() && !match.test_data; at += sector_size)
            match.test_data = is_stamp(pattern, log.header, bytes.subspan(at, sector_size));
    }
    return match;
}

} // namespace mediarig::workload
