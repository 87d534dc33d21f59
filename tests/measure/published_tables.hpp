// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads tests/golden/published/*.csv: a header line, then plain fields without quotes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mediarig::tests {

class Row {
public:
    explicit Row(std::map<std::string, std::string> fields) : fields_(std::move(fields)) {}
    [[nodiscard]] const std::string& text(const std::string& column) const { return fields_.at(column); }
    /// Nothing where the field was not printed.
    [[nodiscard]] std::optional<double> number(const std::string& column) const {
        const std::string& field = fields_.at(column);
        if (field.empty()) return std::nullopt;
        return std::stod(field);
    }

private:
    std::map<std::string, std::string> fields_;
};

/// `name` such as "quickbench.csv". A file that is missing gives no rows: tests check how many there are.
[[nodiscard]] std::vector<Row> published(const std::string& name);

} // namespace mediarig::tests
