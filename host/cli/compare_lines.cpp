// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/compare_lines.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <ostream>
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
    if (dialog.is_undecided())
        console.err << "mediarig: " << name << " ends in the middle of a trial, which is not decided\n";
    return {};
}

Result<void> answer_all(const Console& console, const std::string& from) {
    const bool is_input = from == "-";
    const std::string name = is_input ? "standard input" : from;
    std::error_code unknown;
    if (std::filesystem::is_directory(is_input ? "/dev/stdin" : from, unknown))
        return fail(Errc::bad_request, name + " is a directory; name a file");
    if (is_input) return answer_lines(console, std::cin, name);
    if (app::holds_no_text(from))
        return fail(Errc::bad_request, from + " holds no text: name a file of JSON lines, or - for standard input");
    // Of any length, and of a FIFO as of standard input: whoever writes into it may wait for each answer.
    std::ifstream in(from);
    if (!in) return fail(Errc::bad_request, from + " cannot be read: " + std::strerror(errno) + "; check the name");
    return answer_lines(console, in, name);
}

} // namespace

int answer_lines_of(const Console& console, const std::string& from) {
    const Result<void> done = answer_all(console, from);
    return done ? 0 : report(console, done.error());
}

} // namespace mediarig::cli
