// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/logged_lines.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "host/store/log_lines.hpp"
#include "tests/json.hpp"

namespace mediarig::store {

std::vector<std::string> logged_lines(const std::filesystem::path& file) {
    std::vector<std::string> lines, unexplained;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (line == log_line::torn()) {
            unexplained.clear();
        } else if (!nlohmann::json::parse(line, nullptr, false).is_object()) {
            unexplained.push_back("damaged: " + line);
        } else {
            for (std::string& damaged : std::exchange(unexplained, {})) lines.push_back(std::move(damaged));
            lines.push_back(line);
        }
    }
    return lines; // the incomplete end is a line that was just being written
}

std::vector<std::string> lines_for(const CampaignView& view, const DeviceView& device) {
    const std::string& id = view.campaign.id;
    std::vector<std::string> lines;
    for (const PassView& pass : device.passes) {
        lines.push_back(log_line::pass(id, pass.pass));
        for (const workload::CellResult& cell : pass.cells)
            lines.push_back(log_line::cell(id, pass.pass.id, cell).back());
        for (const measure::Finding& finding : pass.findings) lines.push_back(log_line::entry(id, finding));
        if (pass.end) lines.push_back(log_line::pass_end(id, pass.pass.id, *pass.end));
    }
    for (const FormatRecord& made : device.made) lines.push_back(log_line::format(id, made));
    for (const measure::Finding& finding : device.findings) lines.push_back(log_line::entry(id, finding));
    for (const media::CheckReport& check : device.checks) lines.push_back(log_line::entry(id, check));
    for (const measure::Untested& what : device.untested) lines.push_back(log_line::entry(id, what));
    if (device.verdict) lines.push_back(log_line::entry(id, *device.verdict));
    if (view.campaign.ended) lines.push_back(log_line::campaign_end(id, view.campaign.state, *view.campaign.ended));
    return lines;
}

std::vector<std::string> missing(const std::vector<std::string>& wanted, const std::vector<std::string>& lines) {
    std::vector<std::string> not_there;
    for (const std::string& line : wanted)
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) not_there.push_back(line);
    return not_there;
}

} // namespace mediarig::store
