// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/rig_text.hpp"

#include <fmt/format.h>

#include "common/rigproto/wire.hpp"
#include "host/cli/text/text.hpp"
#include "host/rig/port/rig_text.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;
using rig::explain;
using rig::name_of;
using rigproto::EventKind;

template <class Body>
std::optional<Body> body_of(const rig::LoggedEvent& event) {
    constexpr std::size_t head = rigproto::size_of<rigproto::EventHead>();
    if (event.payload.size() < head) return std::nullopt;
    return rigproto::decode<Body>(std::span(event.payload).subspan(head));
}

json flags_of(const rigproto::StatusReply& status) {
    const auto has = [&](rigproto::StatusFlag flag) { return (status.flags & flag) != 0; };
    return {{"configured", has(rigproto::flag_configured)},
            {"homed", has(rigproto::flag_homed)},
            {"safety_closed", has(rigproto::flag_safety_closed)},
            {"holding", has(rigproto::flag_holding)},
            {"motors_on", has(rigproto::flag_motors_on)}};
}

/// The fault and the action to take; empty without a fault.
std::string fault_text(rigproto::Fault fault, std::uint8_t detail) {
    return fault == rigproto::Fault::none ? std::string() : explain(fault, detail);
}

/// Positions in steps from home on the X axis.
json places_json(const rigproto::Config& config) {
    json pockets = json::array(), readers = json::array(), bins = json::object();
    for (int i = 0; i < config.pockets; ++i) pockets.push_back(config.x_first_pocket + i * config.x_pocket_pitch);
    for (int i = 0; i < config.ports; ++i) readers.push_back(config.x_first_port + i * config.x_port_pitch);
    for (std::size_t i = 0; i < config.x_bin.size(); ++i)
        bins[std::string(name_of(static_cast<rigproto::Bin>(i)))] = config.x_bin[i];
    json places{{"pockets", pockets}, {"readers", readers}, {"bins", bins}, {"travel", config.x_travel}};
    if (config.z_nest > 0) places["nest"] = config.x_nest;
    return places;
}

json port_json(const rigproto::PortStatusReply& port) {
    return {{"port", port.port},
            {"state", name_of(port.state)},
            {"card", port.card != 0},
            {"fault", name_of(port.fault)},
            {"fault_text", fault_text(port.fault, port.port)},
            {"millivolts", port.millivolts},
            {"milliamperes", port.milliamperes},
            {"min_millivolts", port.min_millivolts},
            {"max_milliamperes", port.max_milliamperes},
            {"off_time_us", port.off_time_us},
            {"ramp_us", port.ramp_us},
            {"energy_uj", port.energy_uj},
            {"cycles", port.cycles}};
}

/// Lists readers that the rig does not load: the card in the reader is no longer detected, or the reader is not known
/// to be empty.
std::string unseen_text(const RigView& view) {
    rig::PortSet ports;
    for (const auto& port : view.ports) ports.insert(rig::PortIndex{port.port});
    const auto numbers = [&](int bits) { return rig::numbers_of({static_cast<std::uint8_t>(ports.bits & bits)}); };
    std::string text;
    if (const auto readers = numbers(view.status.occupied & ~view.status.cards); !readers.empty())
        text += fmt::format(
            "reader  {}: a card was inserted and is no longer detected; run mediarig rig unload or mediarig rig "
            "empty\n",
            readers);
    if (const auto readers = numbers(view.status.unproven); !readers.empty())
        text += fmt::format("reader  {}: not known to be empty since the rig was powered on\n", readers);
    return text;
}

} // namespace

std::string text_of(const RigView& view) {
    const auto& status = view.status;
    std::string text = line_of(fmt::format("{} on {}", view.description, view.path));
    if (view.read_only)
        text +=
            fmt::format("uses major version {} of the protocol, this mediarig {}: only its state and the stop work\n",
                        view.hello.major, rigproto::protocol_major);
    if (const auto other_map = rig::explain_pin_map(view.hello.pin_map_hash)) text += *other_map + "\n";
    const bool at_work_without = view.config.pockets == 0 && status.state == rigproto::State::unhomed;
    text += at_work_without ? "state   ready (no carriage)\n" : fmt::format("state   {}\n", name_of(status.state));
    text += fmt::format("start   {}\n", name_of(view.hello.reset));
    if (status.fault != rigproto::Fault::none)
        text += fmt::format("fault   {}\n", explain(status.fault, status.fault_detail));
    // A fault of a port does not stop the rig, but may need the operator.
    for (const auto& port : view.ports)
        if (port.fault != rigproto::Fault::none && (port.fault != status.fault || port.port != status.fault_detail))
            text += fmt::format("fault   {}\n", explain(port.fault, port.port));
    if ((status.flags & rigproto::flag_safety_closed) == 0) text += "safety  open (emergency stop or door)\n";
    if ((status.flags & rigproto::flag_homed) != 0) text += fmt::format("at      X {}, Z {}\n", status.x, status.z);
    if (status.running_job != 0)
        text += fmt::format("job     {} runs: {}\n", status.running_job, name_of(status.state));
    if (view.ports.empty()) return text;
    if (view.config.pockets != 0) text += unseen_text(view);
    TextTable table({"PORT", "CARD", "POWER", "VOLTAGE", "CURRENT", "INSERTIONS"});
    for (const auto& port : view.ports)
        table.add({std::to_string(number_of(rig::PortIndex{port.port})), port.card != 0 ? "yes" : "no",
                   port.fault == rigproto::Fault::none
                       ? std::string(name_of(port.state))
                       : fmt::format("{} ({})", name_of(port.state), name_of(port.fault)),
                   fmt::format("{:.2f} V", port.millivolts / 1000.0), fmt::format("{} mA", port.milliamperes),
                   std::to_string(port.cycles)});
    return text + "\n" + table.text();
}

json to_json(const RigView& view) {
    const auto& status = view.status;
    json ports = json::array();
    for (const auto& port : view.ports) ports.push_back(port_json(port));
    return {{"mediarig_rig_status", 1},
            {"description", view.description},
            {"path", view.path},
            {"read_only", view.read_only},
            {"protocol_major", view.hello.major},
            {"protocol_minor", view.hello.minor},
            {"reset", name_of(view.hello.reset)},
            {"state", name_of(status.state)},
            {"fault", name_of(status.fault)},
            {"fault_detail", status.fault_detail},
            {"fault_text", fault_text(status.fault, status.fault_detail)},
            {"running_job", status.running_job},
            {"last_job", status.last_job},
            {"cards", status.cards},
            {"occupied", status.occupied},
            {"unproven", status.unproven},
            {"powered", status.powered},
            {"unacked_events", status.unacked},
            {"flags", flags_of(status)},
            {"x", status.x},
            {"z", status.z},
            {"time_us", status.time_us},
            {"ports", ports},
            {"places", places_json(view.config)}};
}

namespace {

/// Counters of the connection to the board, by name.
std::vector<std::pair<std::string, std::uint32_t>> named(const rigproto::CountersReply& counters) {
    return {{"frames", counters.frames},
            {"bad_crc", counters.bad_crc},
            {"bad_cobs", counters.bad_cobs},
            {"too_long", counters.too_long},
            {"stale", counters.stale},
            {"repeated", counters.repeated},
            {"rejected", counters.rejected},
            {"stops", counters.stops},
            {"unknown", counters.unknown},
            {"dropped_events", counters.dropped_events},
            {"usb_restarts", counters.usb_restarts}};
}

} // namespace

json to_json(const rigproto::CountersReply& counters) {
    json counts{{"mediarig_rig_counters", 1}};
    for (const auto& [name, count] : named(counters)) counts[name] = count;
    return counts;
}

std::string text_of(const rigproto::CountersReply& counters) {
    std::string text;
    for (const auto& [name, count] : named(counters)) text += fmt::format("{:<13} {}\n", name, count);
    return text;
}

json to_json(const rig::LoggedEvent& event) {
    json line{{"mediarig_rig_event", 1}, {"epoch", event.epoch}, {"id", event.id}, {"kind", name_of(event.kind)}};
    if (const auto head = rigproto::decode<rigproto::EventHead>(event.payload)) line["time_us"] = head->time_us;
    switch (event.kind) {
        case EventKind::job_accepted:
        case EventKind::job_progress:
        case EventKind::job_done:
        case EventKind::job_failed:
            if (const auto job = body_of<rigproto::JobEvent>(event)) {
                line["job"] = job->job;
                line["stage"] = name_of(job->stage);
                line["fault"] = name_of(job->fault);
                line["detail"] = job->detail;
            }
            break;
        case EventKind::card:
            if (const auto card = body_of<rigproto::CardEvent>(event)) {
                line["port"] = card->port;
                line["present"] = card->present != 0;
            }
            break;
        case EventKind::port:
            if (const auto port = body_of<rigproto::PortEvent>(event)) {
                line["port"] = port->port;
                line["state"] = name_of(port->state);
                line["fault"] = name_of(port->fault);
                line["millivolts"] = port->millivolts;
            }
            break;
        case EventKind::fault:
        case EventKind::cleared:
            if (const auto fault = body_of<rigproto::FaultEvent>(event)) {
                line["fault"] = name_of(fault->fault);
                line["detail"] = fault->detail;
            }
            break;
        case EventKind::reset:
            if (const auto reset = body_of<rigproto::ResetEvent>(event)) {
                line["reason"] = name_of(reset->reason);
                line["boot_id"] = reset->boot_id;
            }
            break;
        case EventKind::lease_lost:
            break;
    }
    return line;
}

std::string text_of(const rig::LoggedEvent& event) {
    switch (event.kind) {
        case EventKind::reset:
            if (const auto reset = body_of<rigproto::ResetEvent>(event))
                return fmt::format("the board started: {}", name_of(reset->reason));
            break;
        case EventKind::job_accepted:
        case EventKind::job_progress:
        case EventKind::job_done:
            if (const auto job = body_of<rigproto::JobEvent>(event)) {
                if (event.kind == EventKind::job_progress)
                    return fmt::format("job {}: {}", job->job, name_of(job->stage));
                return fmt::format("job {} {}", job->job, event.kind == EventKind::job_done ? "is done" : "begins");
            }
            break;
        case EventKind::job_failed:
            if (const auto job = body_of<rigproto::JobEvent>(event))
                return fmt::format("job {} failed: {}", job->job, explain(job->fault, job->detail));
            break;
        case EventKind::card:
            if (const auto card = body_of<rigproto::CardEvent>(event))
                return fmt::format("reader {}: {}", number_of(rig::PortIndex{card->port}),
                                   card->present != 0 ? "a card is there" : "no card");
            break;
        case EventKind::port:
            if (const auto port = body_of<rigproto::PortEvent>(event)) {
                const auto state = fmt::format("port {}: {}, {:.2f} V", number_of(rig::PortIndex{port->port}),
                                               name_of(port->state), port->millivolts / 1000.0);
                return port->fault == rigproto::Fault::none ? state
                                                            : fmt::format("{} ({})", state, name_of(port->fault));
            }
            break;
        case EventKind::fault:
            if (const auto fault = body_of<rigproto::FaultEvent>(event)) return explain(fault->fault, fault->detail);
            break;
        case EventKind::cleared:
            if (const auto fault = body_of<rigproto::FaultEvent>(event))
                return fmt::format("cleared: {}", name_of(fault->fault));
            break;
        case EventKind::lease_lost:
            return "the rig had waited too long for the host";
    }
    return fmt::format("event {} that this mediarig cannot read", static_cast<unsigned>(event.kind));
}

} // namespace mediarig::cli
