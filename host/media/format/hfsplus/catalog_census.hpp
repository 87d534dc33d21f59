// SPDX-License-Identifier: GPL-3.0-or-later
/// Census of the catalog: each file and folder with its parent and thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/media/inspect/hfsplus_errors.hpp"
#include "host/media/inspect/hfsplus_fork.hpp"

namespace mediarig::media::hfsplus {

class CatalogCensus {
public:
    using OnFork = std::function<void(const ForkName&, const HfsPlusFork&)>;

    /// Takes the records of the catalog in the order of the tree; passes both forks of a file to `on_fork`.
    void take(Raw key, Raw data, const OnFork& on_fork, CheckErrors& errors);
    /// Call after the last record. Checks threads, parents, valences, and the counts and the next ID of the volume
    /// header.
    void settle(const HfsPlusHeader& header, CheckErrors& errors);

    [[nodiscard]] std::uint64_t files() const { return files_; }
    [[nodiscard]] std::uint64_t folders() const { return folders_; } ///< including the root folder
    /// First extent of the two journal files; empty if the root folder does not contain the file.
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
    void match_threads(CheckErrors& errors) const;
    void count_children(CheckErrors& errors) const;
    std::vector<Item> items_;
    std::vector<Thread> threads_;
    std::uint64_t files_{}, folders_{};
    std::optional<HfsPlusExtent> journal_, journal_info_;
};

} // namespace mediarig::media::hfsplus
