// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the published schema with the programs: this file checks the names, and conversation.py checks each line of
// a conversation.
#include <fstream>

#include "host/base/process/run_process.hpp"
#include "host/measure/finding.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/outcome.hpp"
#include "tests/agent/scratch_image.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using nlohmann::json;

namespace {

json definitions() {
    std::ifstream file(MEDIARIG_DOCS_DIR "/schemas/agent-protocol.schema.json");
    return json::parse(file).at("definitions");
}

} // namespace

TEST_CASE("schema: the names in the schema equal the names in the code") {
    const json schema = definitions();
    const auto listed = [&](const char* pointer) {
        return schema.at(json::json_pointer(pointer)).get<std::vector<std::string>>();
    };
    CHECK(listed("/errc/enum") == choices<Errc>());
    CHECK(listed("/file_system/enum") == media::file_system_names());
    CHECK(listed("/refusal/properties/kind/enum") == choices<media::RefusalKind>());
    CHECK(listed("/medium/properties/transport/enum") == choices<media::Transport>());
    CHECK(listed("/finding/properties/kind/enum") == choices<measure::FindingKind>());
    CHECK(listed("/finding/properties/severity/enum") == choices<measure::Severity>());
    using namespace workload;
    CHECK(listed("/cell_spec/properties/access/enum") == choices<Access>());
    CHECK(listed("/engine/enum") == choices<Engine>());
    CHECK(listed("/cache/enum") == choices<CachePolicy>());
    CHECK(listed("/sync/enum") == choices<SyncLevel>());
    CHECK(listed("/job/properties/payload/properties/kind/enum") == choices<PayloadKind>());
    CHECK(listed("/job/properties/on_io_error/enum") == choices<OnIoError>());
    CHECK(listed("/cell_result/properties/end/enum") == choices<CellEnd>());
    CHECK(listed("/verify_outcome/properties/damaged/items/properties/kind/enum") == choices<DamageKind>());
}

TEST_CASE("schema: every line of a conversation with the real agent matches the schema, in both directions") {
    const agent::ScratchImage folder(0);
    const auto talked = process::run_process(
        {.program = "python3",
         .arguments = {MEDIARIG_CONVERSATION, MEDIARIG_AGENT, MEDIARIG_DOCS_DIR "/schemas/agent-protocol.schema.json",
                       std::filesystem::path(folder.path()).parent_path().string()},
         .time_limit = std::chrono::minutes(4)});
    if (!talked && talked.error().code == Errc::no_driver) MEDIARIG_SKIP("python3 is not installed");
    REQUIRE(reason(talked) == "success");
    if (talked->exit_status == 77) MEDIARIG_SKIP(talked->out);
    CHECK(talked->err == "");
    CHECK(talked->exit_status == 0);
    CHECK_FALSE(folder.attached());
}
