// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/hello.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/agent/protocol/members.hpp"

namespace mediarig::agent {

using nlohmann::json;

json to_json(const HelloReport& report) {
    json tools = json::object();
    for (const auto& [name, version] : report.tools) tools[name] = version ? json(*version) : json(nullptr);
    json host{
        {"name", report.host_name}, {"kernel", report.kernel}, {"cpu", report.cpu}, {"processors", report.processors}};
    return {{"protocol", report.protocol},
            {"agent", report.agent_version},
            {"host", std::move(host)},
            {"privileged", report.privileged},
            {"tools", std::move(tools)}};
}

Result<HelloReport> hello_report_from_json(const json& object) {
    HelloReport report;
    const auto protocol = count32_member(object, "protocol");
    if (!protocol) return fail(protocol.error());
    report.protocol = *protocol;

    const auto agent = text_member(object, "agent");
    if (!agent) return fail(agent.error());
    report.agent_version = *agent;

    const auto host = member(object, "host");
    if (!host) return fail(host.error());
    struct Row {
        const char* name;
        std::string HelloReport::*target;
    };
    for (const Row& row :
         {Row{"name", &HelloReport::host_name}, Row{"kernel", &HelloReport::kernel}, Row{"cpu", &HelloReport::cpu}}) {
        auto text = text_member(**host, row.name);
        if (!text) return fail(Errc::bad_format, "host." + text.error().detail);
        report.*row.target = std::move(*text);
    }

    const auto processors = count32_member(**host, "processors");
    if (!processors) return fail(Errc::bad_format, "host." + processors.error().detail);
    report.processors = *processors;

    const auto privileged = flag_member(object, "privileged");
    if (!privileged) return fail(privileged.error());
    report.privileged = *privileged;

    const auto tools = member(object, "tools");
    if (!tools) return fail(tools.error());
    if (!(*tools)->is_object()) return fail(Errc::bad_format, "tools: must be an object");
    for (const auto& [name, version] : (*tools)->items()) {
        if (!version.is_null() && !version.is_string())
            return fail(Errc::bad_format, "tools." + name + ": must be a text or null");
        report.tools[name] = version.is_null() ? std::nullopt : std::optional(version.get<std::string>());
    }
    return report;
}

} // namespace mediarig::agent
