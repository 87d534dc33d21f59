// SPDX-License-Identifier: GPL-3.0-or-later
/// Everybody in the catalog: who stands where, under which parent, with which thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/media/format/hfsplus/complaints.hpp"
#include "host/media/format/hfsplus/fork.hpp"

namespace mediarig::media::hfsplus {

class CatalogCensus {
public:
    using OnFork = std::function<void(const ForkName&, const HfsPlusFork&)>;

    /// Takes a record of the catalog in the order of the tree; hands both forks of a file on.
    void take(Raw key, Raw data, const OnFork& on_fork, Complaints& complaints);
    /// After the last record: threads, parents, valences, the counts and the next ID of the volume header.
    void settle(const HfsPlusHeader& header, Complaints& complaints);

    [[nodiscard]] std::uint64_t files() const { return files_; }
    [[nodiscard]] std::uint64_t folders() const { return folders_; } ///< with the root folder
    /// The first blocks of the two files that the journal stands in; nothing where the root folder lacks one.
    [[nodiscard]] std::optional<HfsPlusExtent> journal() const { return journal_; }
    [[nodiscard]] std::optional<HfsPlusExtent> journal_info() const { return journal_info_; }

private:
    struct Item {
        std::uint32_t id{}, parent{};
        std::uint64_t name_hash{};
        bool folder{};
        bool counts_folders{};
        std::uint32_t valence{}, folder_count{};
    };
    struct Thread {
        std::uint32_t id{}, parent{};
        std::uint64_t name_hash{};
        bool folder{};
    };
    void take_file(Item item, Raw key, Raw data, const OnFork& on_fork);
    void match_threads(Complaints& complaints) const;
    void count_children(Complaints& complaints) const;
    std::vector<Item> items_;
    std::vector<Thread> threads_;
    std::uint64_t files_{}, folders_{};
    std::optional<HfsPlusExtent> journal_, journal_info_;
};

} // namespace mediarig::media::hfsplus
