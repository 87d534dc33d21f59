// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the table of rights with the existing methods and with the documented table.
#include "host/agent/server/method_rights.hpp"

#include <fstream>
#include <string>
#include <vector>

#include "host/agent/server/methods.hpp"
#include "tests/catch.hpp"

using namespace mediarig::agent;

namespace {

/// The rows of the table in docs/reference/safety.md that begins with the method.
std::vector<std::string> documented_rows() {
    std::ifstream file(MEDIARIG_SOURCE_DIR "/docs/reference/safety.md");
    std::vector<std::string> rows;
    bool within = false;
    for (std::string line; std::getline(file, line);) {
        if (line == "| method | target | rights of | reaches |") {
            within = std::getline(file, line).good();
        } else if (within && !line.starts_with("|")) {
            return rows;
        } else if (within) {
            rows.push_back(line);
        }
    }
    return rows;
}

std::string row_of(const MethodRight& right) {
    const auto cell = [](std::string_view text) { return text.empty() ? "" : std::string(text) + " "; };
    return "| `" + std::string(right.method) + "` | " + cell(right.acts_on) + "| " + cell(name_of(right.rights)) +
           "| " + cell(right.reaches) + "|";
}

} // namespace

TEST_CASE("the documentation lists the rights of all methods") {
    std::vector<std::string> rows;
    for (const MethodRight& right : method_rights()) rows.push_back(row_of(right));
    CHECK(rows == documented_rows());
}

TEST_CASE("every method of the agent has a row in the table of rights, and every row has a method") {
    for (const MethodRight& right : method_rights()) {
        CAPTURE(right.method);
        // The methods cancel and start_over concern the connection, not the media.
        const bool of_the_line = right.method == "cancel" || right.method == "start_over";
        CHECK(Methods::knows(right.method) != of_the_line);
    }
    CHECK_FALSE(Methods::knows("fly"));
    CHECK_FALSE(has_right("fly"));
}
