// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/agent_program.hpp"

#include <fmt/format.h>

#include <sstream>

#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/elf_dependencies.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {

Result<AgentProgram> identify_agent(const ImageOptions& options) {
    const std::string path = options.agent.string();
    const auto lacking = [&](const std::string& why) {
        return fail(Errc::no_driver, fmt::format("the guest's agent {} {}: build mediarig-agent-static, or install the "
                                                 "package mediarig-lab",
                                                 path, why));
    };
    const auto program = read_file(options.agent);
    if (!program) return lacking("cannot be read");
    const auto dependencies = elf_dependencies(*program);
    if (!dependencies) return lacking("is not a program for the guest (" + dependencies.error().detail + ")");
    if (!dependencies->loader.empty() || !dependencies->libraries.empty()) return lacking("is not static");

    const auto sum = run_tool(options, {.program = "sha256sum", .arguments = {"--", path}, .package = "coreutils"});
    if (!sum) return fail(sum.error());
    const auto said = run_tool(options, {.program = path, .arguments = {"--version"}, .package = "mediarig"});
    if (!said) return lacking("does not run: " + said.error().detail);
    std::istringstream words(*said);
    std::string name, version;
    if (!(words >> name >> version) || name != "mediarig-agent") return lacking("is another program");
    return AgentProgram{.version = std::move(version), .sha256 = sum->substr(0, sum->find(' '))};
}

Result<std::string> stripped_program(const ImageOptions& options, const std::filesystem::path& program) {
    if (!has_tool(options, "strip")) return read_file(program);
    auto work = make_work_folder(options.cache);
    if (!work) return fail(work.error());
    const auto stripped = work->path() / "stripped";
    const auto done = run_tool(
        options,
        {.program = "strip", .arguments = {"-o", stripped.string(), "--", program.string()}, .package = "binutils"});
    if (!done) return fail(done.error());
    return read_file(stripped);
}

} // namespace mediarig::lab
