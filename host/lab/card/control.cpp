// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/control.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/base/json/source.hpp"
#include "host/lab/card/config_sections.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::json;
using strict_json::Members;
using strict_json::Node;

constexpr std::array<std::string_view, 7> names{"add_bad_sectors", "remove_bad_sectors", "corrupt", "throttle",
                                                "power_cut",       "power_on",           "stats"};

/// Reads the members of a command except its name, with the readers of the configuration.
std::optional<CardCommand> read_arguments(std::size_t which, const Node& node) {
    if (which == 0) {
        const auto bad = read_bad_sectors(node);
        return bad ? std::optional<CardCommand>(AddBadSectors{*bad}) : std::nullopt;
    }
    if (which == 2) {
        const auto region = read_corrupt_region(node);
        return region ? std::optional<CardCommand>(Corrupt{*region}) : std::nullopt;
    }
    Members members(node);
    [[maybe_unused]] const auto read_before =
        members.find("command"); // marks the member as known, so that it is not reported as unknown
    std::optional<CardCommand> out;
    if (which == 1) {
        if (const auto sectors = read_sectors(members)) out = RemoveBadSectors{*sectors};
    } else if (which == 3) {
        Throttle throttle;
        strict_json::take(members, "read_bytes_per_second", throttle.read, read_rate);
        strict_json::take(members, "write_bytes_per_second", throttle.write, read_rate);
        out = SetThrottle{throttle};
    } else if (which == 4) {
        PowerCut cut;
        strict_json::take(members, "lose", cut.lose,
                          [](const Node& word) { return strict_json::read_choice<Loss>(word, "loss"); });
        out = cut;
    } else {
        out = which == 5 ? CardCommand(PowerOn{}) : CardCommand(ReadStats{});
    }
    members.refuse_unknown();
    return out;
}

json json_of(const SectorRange& sectors) {
    return {{"first_sector", sectors.first.index}, {"sector_count", sectors.count}};
}

/// Returns the members of a command except its name.
struct Arguments {
    json operator()(const AddBadSectors& command) const {
        json out = json_of(command.bad.sectors);
        out["fails"] = !command.bad.fail_writes ? "read" : !command.bad.fail_reads ? "write" : "both";
        return out;
    }
    json operator()(const RemoveBadSectors& command) const { return json_of(command.sectors); }
    json operator()(const Corrupt& command) const {
        json out = json_of(command.region.sectors);
        out["bits_per_sector"] = command.region.bits_per_sector;
        return out;
    }
    json operator()(const SetThrottle& command) const {
        json out = json::object();
        const auto put = [&](const char* name, const std::optional<Rate>& rate) {
            if (rate) out[name] = static_cast<std::uint64_t>(rate->bytes_per_second);
        };
        put("read_bytes_per_second", command.throttle.read);
        put("write_bytes_per_second", command.throttle.write);
        return out;
    }
    json operator()(const PowerCut& command) const { return {{"lose", name_of(command.lose)}}; }
    json operator()(const PowerOn&) const { return json::object(); }
    json operator()(const ReadStats&) const { return json::object(); }
};

json json_of(const CardStats& stats) {
    json out{{"power_cuts", stats.power_cuts},     {"storage_failures", stats.storage_failures},
             {"cached_bytes", stats.cached.count}, {"celsius", stats.celsius},
             {"bad_sectors", stats.bad_sectors},   {"powered", stats.powered}};
    if (stats.slc_free_space) out["slc_free_bytes"] = stats.slc_free_space->count;
    for (const auto& [request, name] : enumerators<BlockRequest>) {
        const RequestCount& count = stats.of(request);
        out[std::string(name)] = {{"requests", count.requests},
                                  {"bytes", count.bytes},
                                  {"refused", count.refused},
                                  {"took_ns", count.took.count()}};
    }
    return out;
}

/// Throws the exceptions of nlohmann::json.
CardStats read_stats(const json& from) {
    CardStats stats;
    from.at("power_cuts").get_to(stats.power_cuts);
    from.at("storage_failures").get_to(stats.storage_failures);
    from.at("cached_bytes").get_to(stats.cached.count);
    from.at("celsius").get_to(stats.celsius);
    from.at("bad_sectors").get_to(stats.bad_sectors);
    from.at("powered").get_to(stats.powered);
    if (from.contains("slc_free_bytes")) stats.slc_free_space = Bytes{from.at("slc_free_bytes").get<std::uint64_t>()};
    for (const auto& [request, name] : enumerators<BlockRequest>) {
        const json& one = from.at(std::string(name));
        RequestCount& count = stats.by_request.at(static_cast<std::size_t>(request));
        one.at("requests").get_to(count.requests);
        one.at("bytes").get_to(count.bytes);
        one.at("refused").get_to(count.refused);
        count.took = std::chrono::nanoseconds(one.at("took_ns").get<std::int64_t>());
    }
    return stats;
}

/// Executes a command and returns the members of its answer.
struct Injection {
    CardModel& model;

    Result<json> operator()(const AddBadSectors& command) const {
        if (auto outside = check(command.bad.sectors); !outside) return fail(outside.error());
        model.add_bad_sectors(command.bad);
        return json::object();
    }
    Result<json> operator()(const RemoveBadSectors& command) const {
        if (auto outside = check(command.sectors); !outside) return fail(outside.error());
        model.remove_bad_sectors(command.sectors);
        return json::object();
    }
    Result<json> operator()(const Corrupt& command) const {
        if (auto outside = check(command.region.sectors); !outside) return fail(outside.error());
        if (auto done = model.corrupt(command.region); !done) return fail(done.error());
        return json::object();
    }
    Result<json> operator()(const SetThrottle& command) const {
        model.throttle(command.throttle);
        return json::object();
    }
    Result<json> operator()(const PowerCut& command) const {
        const auto sectors = model.power_cut(command.lose);
        if (!sectors) return fail(sectors.error());
        return json{{"sectors_kept", sectors->kept}, {"sectors_lost", sectors->lost}};
    }
    Result<json> operator()(const PowerOn&) const {
        model.power_on();
        return json::object();
    }
    Result<json> operator()(const ReadStats&) const { return json_of(model.stats()); }

    [[nodiscard]] Result<void> check(const SectorRange& sectors) const {
        if (model.fits(sectors)) return {};
        return fail(Errc::bad_request, "the range ends at sector " + std::to_string(sectors.end()) +
                                           ", but the medium has " +
                                           std::to_string(model.config().claimed / sector_size) + " sectors");
    }
};

std::string line_of(const json& message) {
    return codec::json_line(message);
}

} // namespace

std::string command_line(const CardCommand& command) {
    json message = std::visit(Arguments{}, command);
    message["command"] = names.at(command.index());
    return line_of(message);
}

Result<CardCommand> parse_command(std::string_view line) {
    strict_json::Faults faults;
    auto tree = strict_json::read_source(line, faults);
    std::optional<CardCommand> command;
    if (tree && faults.count() == 0) {
        std::optional<std::size_t> which;
        Members members(Node{&*tree, "", &faults});
        if (const auto name = members.need("command", "name the command"))
            which = strict_json::read_word(*name, "command", names);
        if (which) {
            tree->erase("command");
            command = read_arguments(*which, Node{&*tree, "", &faults});
        }
    }
    if (faults.count() == 0) return *command;
    return fail(Errc::bad_request, faults.take().front());
}

std::string execute_line(CardModel& model, std::string_view line) {
    const auto command = parse_command(line);
    Result<json> done = command ? std::visit(Injection{model}, *command) : Result<json>(fail(command.error()));
    if (!done) return line_of({{"ok", false}, {"error", done.error().detail}, {"code", name_of(done.error().code)}});
    (*done)["ok"] = true;
    return line_of(*done);
}

Result<CardAnswer> parse_answer(std::string_view line) {
    try {
        const json answer = codec::read_json(line);
        if (!answer.at("ok").get<bool>()) {
            const auto code = from_name<Errc>(answer.at("code").get<std::string>());
            return fail(code.value_or(Errc::bad_request), answer.at("error").get<std::string>());
        }
        CardAnswer out;
        if (answer.contains("sectors_lost"))
            out.sectors = {answer.at("sectors_kept").get<std::uint64_t>(),
                           answer.at("sectors_lost").get<std::uint64_t>()};
        if (answer.contains("powered")) out.stats = read_stats(answer);
        return out;
    } catch (const json::exception&) {
        return fail(Errc::bad_format, "the card model sent an invalid answer: " + strict_json::excerpt(line));
    }
}

} // namespace mediarig::lab
