// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the model with the output of other programs on the same machine.
#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <sstream>

#include "host/base/process/run_process.hpp"
#include "tests/json.hpp"
#include "tests/media/claim/scenarios/scenario.hpp"
#include "tests/scratch.hpp"

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;

std::string said_by(const std::string& program, const std::vector<std::string>& arguments) {
    const auto finished = process::run_process({.program = program, .arguments = arguments});
    return finished ? finished->out : std::string();
}

void check_loops(ScenarioFiles& scenario, OtherPrograms& others, std::vector<std::string>& differences) {
    const json table = json::parse(
        said_by("losetup", {"-l", "-J", "-O", "NAME,BACK-INO,BACK-FILE,OFFSET,SIZELIMIT,RO"}), nullptr, false);
    for (const ForeignLoop* loop : others.attached_loops()) {
        const std::string node = loop_node(loop->loop.number);
        std::optional<json> row;
        if (!table.is_discarded())
            for (const json& each : table.value("loopdevices", json::array()))
                if (each.value("name", "") == node) row = each;
        if (!row) {
            differences.push_back("losetup does not list " + node);
            continue;
        }
        if (loop->on_loop) continue;
        const File& file = scenario.files()[static_cast<std::size_t>(loop->file)];
        const bool same_file = row->value("back-ino", std::uint64_t{}) == file.ids[0].second;
        if (!same_file || row->value("offset", std::uint64_t{}) != loop->range.begin)
            differences.push_back(fmt::format("losetup says of {}: {}", node, row->dump()));
    }
}

void check_mounts(OtherPrograms& others, std::vector<std::string>& differences) {
    const std::string mounts = said_by("findmnt", {"-J", "-l", "-o", "TARGET,SOURCE"});
    for (const Use* use : others.standing())
        if (!use->mount_point.empty() && use->holder <= 0 &&
            mounts.find("\"" + use->mount_point + "\"") == std::string::npos)
            differences.push_back("findmnt does not list " + use->mount_point);
}

void check_locks(ScenarioFiles& scenario, OtherPrograms& others, std::vector<std::string>& differences) {
    const std::string locks = tests::text_of("/proc/locks");
    for (const Use* use : others.standing()) {
        const bool ofd = use->kind == UseKind::file_write_lock || use->kind == UseKind::file_read_lock;
        if (!ofd) continue;
        bool found = false;
        for (const auto& id : scenario.files()[static_cast<std::size_t>(use->file)].ids)
            found = found || locks.find(":" + std::to_string(id.second) + " ") != std::string::npos;
        if (!found) differences.push_back("/proc/locks does not list: " + use->text);
    }
}

void check_open_files(ScenarioFiles& scenario, OtherPrograms& others, std::vector<std::string>& differences) {
    for (const Use* use : others.standing()) {
        if (use->kind != UseKind::file_open_for_writing) continue;
        const auto names = scenario.names_of(use->file);
        if (names.empty()) continue;
        struct stat status {};
        if (::stat(("/proc/self/fd/" + std::to_string(use->fd.get())).c_str(), &status) != 0 ||
            scenario.file_of(status.st_dev, status.st_ino) != use->file)
            differences.push_back("what is open is another file than: " + use->text);
        const std::string listed = said_by("lsof", {"-w", "-p", std::to_string(::getpid()), "-F", "fi"});
        if (listed.find("i" + std::to_string(status.st_ino) + "\n") == std::string::npos)
            differences.push_back("lsof does not list: " + use->text);
    }
}

} // namespace

std::vector<std::string> ask_reference_checkers(ScenarioFiles& scenario, OtherPrograms& others) {
    std::vector<std::string> differences;
    check_loops(scenario, others, differences);
    check_mounts(others, differences);
    check_locks(scenario, others, differences);
    check_open_files(scenario, others, differences);
    return differences;
}

} // namespace mediarig::claim_scenarios
