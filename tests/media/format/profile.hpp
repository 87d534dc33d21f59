// SPDX-License-Identifier: GPL-3.0-or-later
/// Formats a loop device by a profile, and checks the result with the inspector and with other programs.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/format/linux/medium_format.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/inspect/inspect.hpp"
#include "tests/json.hpp"
#include "tests/media/format/format_loop.hpp"

namespace mediarig::test {

using namespace mediarig::media;

#define NEEDS_TOOLS()                                                       \
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");                     \
    for (const char* tool : {"mkfs.exfat", "mkfs.fat", "mkapfs", "sfdisk"}) \
        if (!is_installed(tool)) MEDIARIG_SKIP(std::string(tool) + " is not installed")

inline Bytes sectors(std::uint64_t count) {
    return Bytes{count * 512};
}

inline Result<FormatReport> format(LoopMedium& medium, const FormatSpec& spec, const ToolSetting& setting = {}) {
    return format_medium(medium.claim(), medium.discovery(), make_formatters(setting), spec, setting);
}

inline ConformanceStandard expectation_of(FormatProfile profile) {
    const auto expectation = standard_from(name_of(profile));
    REQUIRE(reason(expectation) == "success");
    return *expectation;
}

inline InspectReport inspected(LoopMedium& medium) {
    REQUIRE(reason(drop_cached(medium.claim().descriptor())) == "success");
    const Medium& is = medium.claim().medium();
    auto report = inspect(medium.claim().descriptor(), is.size, is.logical_sector);
    REQUIRE(reason(report) == "success");
    return std::move(*report);
}

/// All deviations except notes, one line each.
inline std::vector<std::string> errors(const InspectReport& report, ConformanceStandard expectation) {
    std::vector<std::string> lines;
    for (const Deviation& deviation : deviations_from(expectation, report))
        if (deviation.severity != DeviationSeverity::note)
            lines.push_back(fmt::format("{} {} {}: {} not {}", name_of(deviation.severity), deviation.subject,
                                        deviation.name, deviation.found, deviation.expected));
    return lines;
}

inline std::string value(const FormatReport& report, const std::string& name) {
    for (const auto& [key, text] : report.parameters)
        if (key == name) return text;
    return "(none)";
}

/// Starts, lengths and types as printed by sfdisk: "32768+249823232 7".
inline std::vector<std::string> by_sfdisk(const std::string& node) {
    std::vector<std::string> found;
    const std::string dump = run_checker("sfdisk", {"-d", node}).out;
    for (std::size_t at = dump.find("start="); at != std::string::npos; at = dump.find("start=", at + 1)) {
        const auto word = [&](const char* name) {
            const std::size_t begin = dump.find_first_not_of(' ', dump.find(name, at) + std::strlen(name));
            return dump.substr(begin, dump.find_first_of(",\n", begin) - begin);
        };
        found.push_back(fmt::format("{}+{} {}", word("start="), word("size="), word("type=")));
    }
    return found;
}

/// A partition as a separate device, for reference checkers that need one.
class Shown {
public:
    Shown(LoopMedium& medium, const CreatedPartition& partition)
        : view_(open_view(medium.claim(), partition.start, partition.length)) {
        REQUIRE(reason(view_) == "success");
    }
    [[nodiscard]] const std::string& node() const { return view_->node(); }
    [[nodiscard]] FormatTarget target() const {
        return {.descriptor = view_->descriptor(),
                .start = view_->start(),
                .length = view_->length(),
                .sector = 512,
                .node = view_->node()};
    }
    void detach() { REQUIRE(reason(view_->detach()) == "success"); }

private:
    Result<MediumView> view_;
};

inline CheckReport checked(LoopMedium& medium, const FormatReport& made) {
    Shown shown(medium, *made.partition);
    const Formatters formatters = make_formatters();
    const auto report = (*select_formatter(formatters, made.fs))->check(shown.target(), made.fs);
    shown.detach();
    REQUIRE(reason(report) == "success");
    return *report;
}

} // namespace mediarig::test
