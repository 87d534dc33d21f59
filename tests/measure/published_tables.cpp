// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/measure/published_tables.hpp"

#include <fstream>
#include <sstream>

namespace mediarig::tests {
namespace {

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields(1);
    for (const char c : line)
        if (c == ',')
            fields.emplace_back();
        else
            fields.back() += c;
    return fields;
}

} // namespace

std::vector<Row> published(const std::string& name) {
    std::ifstream file(std::string(MEDIARIG_GOLDEN_DIR) + "/published/" + name);
    std::vector<Row> rows;
    std::string line;
    if (!std::getline(file, line)) return rows;
    const std::vector<std::string> columns = split(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = split(line);
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields.at(i);
        rows.emplace_back(std::move(row));
    }
    return rows;
}

} // namespace mediarig::tests
