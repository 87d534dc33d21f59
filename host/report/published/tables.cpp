// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/tables.hpp"

#include <algorithm>
#include <vector>

namespace mediarig::published {

// One in each file of that name.
extern const std::array<PublishedTable, 4> xbench_tables;
extern const std::array<PublishedTable, 5> quickbench_tables;
extern const std::array<PublishedTable, 4> blogbench_tables;
extern const std::array<PublishedTable, 12> other_tables;

std::string_view place_of(std::string_view source) {
    struct Place {
        std::string_view source, place;
    };
    constexpr std::array<Place, 6> places{{
        {sources::microsd, "blog.thefelt.net/128gb-microsd-exfat-vs-hfs-performance-on-the-macbook-pro/, no date"},
        {sources::high_sierra,
         "malcont.net/2017/09/apfs-vs-hfs-benchmarks-on-2017-macbook-pro-with-macos-high-sierra/2/, "
         "September 2017"},
        {sources::lambdatest,
         "lambdatest.engineering/apples-hfs-vs-apfs-filesystem-which-one-we-chose-for-our-customers-"
         "and-why, no date"},
        {sources::stibium, "eclecticlight.co/2022/05/16/should-you-continue-using-hfs/, 16 May 2022"},
        {sources::ccc, "bombich.com/blog (Carbon Copy Cloner), 12 September 2019"},
        {sources::decklink, "the manual's page 3, no date"},
    }};
    const auto found = std::ranges::find(places, source, &Place::source);
    return found == places.end() ? std::string_view() : found->place;
}

std::span<const PublishedTable* const> all_tables() {
    static const std::vector<const PublishedTable*> all = [] {
        std::vector<const PublishedTable*> tables;
        const auto add = [&](const auto& some) {
            for (const PublishedTable& table : some) tables.push_back(&table);
        };
        add(xbench_tables);
        add(quickbench_tables);
        add(blogbench_tables);
        add(other_tables);
        return tables;
    }();
    return all;
}

const PublishedTable* find_table(std::string_view name) {
    const auto tables = all_tables();
    const auto found = std::ranges::find(tables, name, &PublishedTable::name);
    return found == tables.end() ? nullptr : *found;
}

const Row* find_row(const PublishedTable& table, std::string_view label) {
    const auto found = std::ranges::find(table.rows, label, &Row::label);
    return found == table.rows.end() ? nullptr : &*found;
}

} // namespace mediarig::published
