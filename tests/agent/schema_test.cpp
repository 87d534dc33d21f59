// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the published schema with the programs: names here, each line of a conversation in conversation.py.
#include <fstream>

#include "host/base/process/run_process.hpp"
#include "host/measure/finding.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/names.hpp"
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

/// The names of all values up to `last`, as a schema lists them.
template <class Enum, class NameOf>
json names_to(Enum last, NameOf name) {
    json names = json::array();
    for (int i = 0; i <= static_cast<int>(last); ++i) names.push_back(name(static_cast<Enum>(i)));
    return names;
}

} // namespace

TEST_CASE("schema: its names equal the names in the code") {
    const json schema = definitions();
    const auto listed = [&](const char* pointer) { return schema.at(json::json_pointer(pointer)); };
    CHECK(listed("/errc/enum") == names_to(Errc::rig_fault, [](Errc e) { return name_of(e); }));
    CHECK(listed("/file_system/enum") ==
          names_to(media::FileSystem::fat12, [](media::FileSystem fs) { return media::name_of(fs); }));
    CHECK(listed("/refusal/properties/kind/enum") ==
          names_to(media::RefusalKind::unknown_state, [](media::RefusalKind k) { return media::name_of(k); }));
    CHECK(listed("/medium/properties/transport/enum") ==
          names_to(media::Transport::directory, [](media::Transport t) { return media::name_of(t); }));
    CHECK(
        listed("/finding/properties/kind/enum") ==
        names_to(measure::FindingKind::compressible_data, [](measure::FindingKind k) { return measure::name_of(k); }));
    CHECK(listed("/finding/properties/severity/enum") ==
          names_to(measure::Severity::fault, [](measure::Severity s) { return measure::name_of(s); }));
    using namespace workload;
    const auto name = [](auto value) { return name_of(value); };
    CHECK(listed("/cell_spec/properties/access/enum") == names_to(Access::random_write, name));
    CHECK(listed("/engine/enum") == names_to(Engine::uring, name));
    CHECK(listed("/cache/enum") == names_to(CachePolicy::cached, name));
    CHECK(listed("/sync/enum") == names_to(SyncLevel::each_io_attributes, name));
    CHECK(listed("/job/properties/payload/properties/kind/enum") == names_to(PayloadKind::zeros, name));
    CHECK(listed("/job/properties/on_io_error/enum") == names_to(OnIoError::go_on, name));
    CHECK(listed("/cell_result/properties/end/enum") == names_to(CellEnd::cancelled, name));
    CHECK(listed("/verify_outcome/properties/damaged/items/properties/kind/enum") ==
          names_to(DamageKind::foreign, name));
}

TEST_CASE("schema: every line of a conversation with the real agent matches it in both directions") {
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
