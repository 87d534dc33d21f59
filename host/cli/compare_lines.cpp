// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/compare_lines.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

#include "host/app/text_file.hpp"
#include "host/cli/command.hpp"
#include "host/json/json_text.hpp"
#include "host/measure/comparison/lines/dialog.hpp"

namespace mediarig::cli {
namespace {

/// Eight formats with the longest names and their rates need a tenth of it; input without line ends stops here.
constexpr std::size_t longest_line = 64 * 1024;

/// Each line is answered before the next one is read: who asks may wait for the answer. `name`: for messages.
Result<void> answer_lines(const Console& console, std::istream& in, const std::string& name) {
    measure::comparison::Dialog dialog;
    std::string line(longest_line, '\0');
    while (in.getline(line.data(), static_cast<std::streamsize>(line.size()))) {
        const auto length = static_cast<std::size_t>(in.gcount()) - (in.eof() ? 0 : 1);
        const auto answer = dialog.answer(std::string_view(line).substr(0, length));
        if (!answer) return fail(answer.error().code, name + ", " + answer.error().detail);
        if (!*answer) continue;
        console.out << codec::json_text(**answer, -1) << '\n';
        console.out.flush();
        if (!console.out) return {}; // main() says so
    }
    if (in.bad()) return fail(Errc::bad_request, name + " cannot be read; check what it is");
    if (!in.eof())
        return fail(Errc::bad_request, name + " has a line of more than " + std::to_string(longest_line) +
                                           " bytes, and no block needs that");
    if (!dialog.was_asked())
        return fail(Errc::bad_request, name + " is empty: a line of JSON for a start, and one for each block");
    return {};
}

} // namespace

int answer_lines_of(const Console& console, const std::string& from) {
    Result<void> done;
    if (from == "-") {
        done = answer_lines(console, std::cin, "standard input");
    } else if (auto text = app::read_text(from); text) {
        std::istringstream lines(std::move(*text));
        done = answer_lines(console, lines, from);
    } else {
        done = fail(text.error());
    }
    return done ? 0 : report(console, done.error());
}

} // namespace mediarig::cli
