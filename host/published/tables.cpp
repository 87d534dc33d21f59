// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/published/tables.hpp"

#include <algorithm>
#include <vector>

namespace mediarig::published {

// One in each file of that name.
extern const std::array<Table, 4> xbench_tables;
extern const std::array<Table, 5> quickbench_tables;
extern const std::array<Table, 4> blogbench_tables;
extern const std::array<Table, 10> other_tables;

std::span<const Table* const> all_tables() {
    static const std::vector<const Table*> all = [] {
        std::vector<const Table*> tables;
        const auto add = [&](const auto& some) {
            for (const Table& table : some) tables.push_back(&table);
        };
        add(xbench_tables);
        add(quickbench_tables);
        add(blogbench_tables);
        add(other_tables);
        return tables;
    }();
    return all;
}

const Table* find_table(std::string_view name) {
    const auto tables = all_tables();
    const auto found = std::ranges::find(tables, name, &Table::name);
    return found == tables.end() ? nullptr : *found;
}

const Row* find_row(const Table& table, std::string_view label) {
    const auto found = std::ranges::find(table.rows, label, &Row::label);
    return found == table.rows.end() ? nullptr : &*found;
}

} // namespace mediarig::published
