// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/check_report.hpp"

#include <utility>

namespace mediarig::media {

CheckReport report_of(const Tool& checker, std::string version, const process::Finished& finished,
                      const std::string& problem) {
    CheckReport report{.tool = checker.program,
                       .tool_version = std::move(version),
                       .clean = finished.succeeded() && problem.empty(),
                       .said = lines_of(finished, most_lines_said - 1)};
    if (!finished.succeeded()) report.said.push_back(checker.program + " ended with " + process::ending_of(finished));
    if (problem.empty()) return report;
    if (report.said.size() == most_lines_said) report.said.pop_back();
    report.said.push_back(problem);
    return report;
}

} // namespace mediarig::media
