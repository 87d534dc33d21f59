// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/question.hpp"

#include <nlohmann/json.hpp>

#include "host/app/compare.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/text.hpp"
#include "host/gui/models/json_member.hpp"
#include "host/media/identity/title.hpp"

namespace mediarig::gui {
namespace {

plan::SuiteEntry suite(const char* name, std::optional<plan::SuiteTarget> where) {
    plan::SuiteEntry entry{.request = {.name = name}};
    if (where) entry.where = *where;
    return entry;
}

std::uint64_t count_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

} // namespace

bool erases(Question question) {
    return question != Question::how_fast;
}

std::string_view command_of(Question question) {
    switch (question) {
        case Question::genuine:
            return "verify --probe";
        case Question::every_byte:
            return "verify";
        case Question::how_fast:
            return "bench --suite quickbench";
        case Question::which_format:
            return "compare --formats exfat,fat32";
    }
    return "";
}

namespace {

Result<plan::Plan> plan_of(Question question, const app::Target& target, const char* speed) {
    app::SingleRequest single{.target = target.name, .elsewhere = target.elsewhere, .confirm = target.confirm};
    switch (question) {
        case Question::genuine:
            single.suite = suite("capacity", plan::SuiteTarget::raw);
            break;
        case Question::every_byte:
            single.suite = suite("verify", plan::SuiteTarget::raw);
            break;
        case Question::how_fast:
            single.suite = suite(speed, std::nullopt);
            break;
        case Question::which_format:
            return app::compare_plan({.target = target, .formats = {"exfat", "fat32"}});
    }
    return app::single_plan(single);
}

} // namespace

Result<plan::Plan> plan_for(Question question, const AttachedMedium& attached, const char* suite) {
    auto plan =
        plan_of(question, {.name = attached.medium.node, .confirm = erases(question) ? attached.confirm : ""}, suite);
    const std::string title = media::short_title(attached.medium);
    if (plan && !title.empty()) plan->name = title + " " + plan->name;
    return plan;
}

Result<plan::Plan> tray_plan(Question question, const std::string& lot) {
    // Media in slots have no name or confirmation: these values are placeholders that are not used.
    auto plan = plan_of(question, {.name = "/dev/slot", .elsewhere = true, .confirm = "slot"}, speed_suites.front());
    if (!plan) return plan;
    plan->name = command_of(question);
    plan->media.clear();
    plan->all_slots = plan::AllSlots{.lot = lot, .label = {}};
    return plan;
}

Result<RunEstimate> run_estimate_from_json(std::string_view text) {
    const auto json = codec::read_json(text);
    if (!json.is_object() || !json.contains("mediarig_dry_run"))
        return fail(Errc::bad_format, "mediarig run --dry-run --json gave no estimate");
    RunEstimate result{.time = std::chrono::seconds(count_in(json, "seconds")),
                       .written = {count_in(json, "bytes_written")},
                       .read = {count_in(json, "bytes_read")}};
    if (const auto media = json.find("media"); media != json.end() && media->is_array())
        for (const nlohmann::json& each : *media)
            if (each.is_object()) {
                result.media.push_back(
                    {.name = printable(text_in(each, "name")), .problem = printable(text_in(each, "problem"))});
                if (result.problem.empty()) result.problem = result.media.back().problem;
            }
    return result;
}

} // namespace mediarig::gui
