// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/smart/smart_json.hpp"
#include "host/base/json/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

/// Member at a path of any depth; null if a part of the path is missing.
const json& at(const json& object, std::initializer_list<const char*> path) {
    static const json none;
    const json* here = &object;
    for (const char* name : path) {
        if (!here->is_object()) return none;
        const auto found = here->find(name);
        if (found == here->end()) return none;
        here = &*found;
    }
    return *here;
}

std::optional<std::uint64_t> count_of(const json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
        return static_cast<std::uint64_t>(value.get<std::int64_t>());
    return std::nullopt;
}

std::string text_of(const json& value) {
    return value.is_string() ? typeable(value.get_ref<const std::string&>()) : std::string();
}

std::string first_text(std::initializer_list<const json*> values) {
    for (const json* value : values)
        if (std::string text = text_of(*value); !text.empty()) return text;
    return {};
}

std::optional<std::uint64_t> first_count(std::initializer_list<const json*> values) {
    for (const json* value : values)
        if (const auto count = count_of(*value)) return count;
    return std::nullopt;
}

std::optional<std::uint64_t> attribute(const json& answer, std::uint64_t id) {
    const json& table = at(answer, {"ata_smart_attributes", "table"});
    if (!table.is_array()) return std::nullopt;
    for (const json& row : table)
        if (count_of(at(row, {"id"})) == id) return count_of(at(row, {"raw", "value"}));
    return std::nullopt;
}

std::optional<double> temperature(const json& answer) {
    for (const json* value :
         {&at(answer, {"temperature", "current"}), &at(answer, {"nvme_smart_health_information_log", "temperature"})}) {
        if (!value->is_number()) continue;
        // Values below absolute zero or above the melting point of solder are not temperatures.
        const double celsius = value->get<double>();
        if (celsius > -100 && celsius < 300) return celsius;
    }
    return std::nullopt;
}

/// An ATA attribute has a unit of the maker's choice: only names from smartctl's database are reliable.
std::optional<Bytes> written_of(const json& answer) {
    constexpr Bytes nvme_unit{512'000};
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    const auto amount = [](std::uint64_t count, Bytes unit) -> std::optional<Bytes> {
        if (count > most / unit.count) return std::nullopt;
        return unit * count;
    };
    if (const auto units = count_of(at(answer, {"nvme_smart_health_information_log", "data_units_written"})))
        return amount(*units, nvme_unit);
    if (at(answer, {"in_smartctl_database"}) != json(true)) return std::nullopt;
    constexpr std::array<std::pair<std::string_view, Bytes>, 5> names{{{"Total_LBAs_Written", 512_B},
                                                                       {"Host_Writes_32MiB", 32_MiB},
                                                                       {"Host_Writes_GiB", 1_GiB},
                                                                       {"Lifetime_Writes_GiB", 1_GiB},
                                                                       {"Total_Writes_GiB", 1_GiB}}};
    const json& table = at(answer, {"ata_smart_attributes", "table"});
    if (!table.is_array()) return std::nullopt;
    for (const json& row : table)
        for (const auto& [name, unit] : names)
            if (text_of(at(row, {"name"})) == name)
                if (const auto count = count_of(at(row, {"raw", "value"}))) return amount(*count, unit);
    return std::nullopt;
}

/// First message of smartctl, errors first.
std::string message_of(const json& answer) {
    const json& messages = at(answer, {"smartctl", "messages"});
    if (!messages.is_array()) return {};
    std::string first;
    for (const json& message : messages) {
        std::string text = text_of(at(message, {"string"}));
        if (text_of(at(message, {"severity"})) == "error" && !text.empty()) return text;
        if (first.empty()) first = std::move(text);
    }
    return first;
}

std::string tool_of(const json& answer) {
    const json& version = at(answer, {"smartctl", "version"});
    if (!version.is_array() || version.size() < 2) return {};
    const auto major = count_of(version[0]), minor = count_of(version[1]);
    return major && minor ? fmt::format("smartctl {}.{}", *major, *minor) : std::string();
}

bool says_any(const std::string& text, std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

void judge(const json& answer, SmartReport& report) {
    constexpr std::uint32_t not_understood = 1, not_opened = 2, is_failing = 8;
    const json& passed = at(answer, {"smart_status", "passed"});
    if (passed.is_boolean()) {
        report.state = passed.get<bool>() ? SmartState::passed : SmartState::failing;
        return;
    }
    if ((report.exit_status & is_failing) != 0) {
        report.state = SmartState::failing;
        return;
    }
    report.detail = message_of(answer);
    if (at(answer, {"smart_support", "available"}) == json(false)) {
        report.state = SmartState::unsupported;
        if (report.detail.empty()) report.detail = "the device reports that it has no SMART";
    } else if ((report.exit_status & (not_understood | not_opened)) != 0) {
        const bool hindered = says_any(report.detail, {"Permission denied", "No such", "busy", "usage", "INVALID"});
        report.state = hindered ? SmartState::failed : SmartState::unsupported;
        if (report.detail.empty()) report.detail = "the device did not answer ATA or NVMe commands";
    } else {
        report.state = SmartState::no_verdict;
        if (report.detail.empty()) report.detail = "the device reported neither passed nor failing";
    }
}

} // namespace

std::vector<std::string> smart_exit_meanings(int exit_status) {
    constexpr std::array<const char*, 8> meanings{"the command line was not understood",
                                                  "the device could not be opened, did not identify itself, or sleeps",
                                                  "a command to the disk failed, or a checksum was wrong",
                                                  "the disk reports that it is failing",
                                                  "an attribute that predicts failure is at or below its threshold",
                                                  "an attribute has been at or below its threshold in the past",
                                                  "the error log has entries",
                                                  "the log of self-tests has errors"};
    std::vector<std::string> found;
    for (std::size_t bit = 0; bit < meanings.size(); ++bit)
        if ((static_cast<unsigned>(exit_status) >> bit & 1u) != 0) found.emplace_back(meanings.at(bit));
    return found;
}

SmartReport smart_report_from(std::string_view text, int exit_status) {
    SmartReport report;
    report.exit_status = static_cast<std::uint32_t>(exit_status) & 0xFFu;
    report.exit_meanings = smart_exit_meanings(exit_status);
    const json answer = codec::read_json(text);
    if (!answer.is_object()) {
        report.detail = "smartctl did not answer in JSON: it may be older than 7.0";
        return report;
    }
    constexpr std::uint64_t reallocated = 5, pending = 197;
    const auto nvme = [&](const char* name) -> const json& {
        return at(answer, {"nvme_smart_health_information_log", name});
    };
    report.tool = tool_of(answer);
    report.device_type = text_of(at(answer, {"device", "type"}));
    report.model = first_text({&at(answer, {"model_name"}), &at(answer, {"scsi_model_name"})});
    report.serial = text_of(at(answer, {"serial_number"}));
    report.firmware = first_text({&at(answer, {"firmware_version"}), &at(answer, {"scsi_revision"})});
    report.temperature_c = temperature(answer);
    report.power_on_hours = first_count({&at(answer, {"power_on_time", "hours"}), &nvme("power_on_hours")});
    report.power_cycles = first_count({&at(answer, {"power_cycle_count"}), &nvme("power_cycles")});
    report.reallocated_sectors = attribute(answer, reallocated);
    report.pending_sectors = attribute(answer, pending);
    report.media_errors = count_of(nvme("media_errors"));
    report.percentage_used =
        first_count({&nvme("percentage_used"), &at(answer, {"endurance_used", "current_percent"})});
    report.written = written_of(answer);
    report.critical_warning = count_of(nvme("critical_warning"));
    judge(answer, report);
    return report;
}

std::vector<std::string> smart_device_types(const Medium& medium) {
    if (!may_have_smart(medium)) return {};
    std::vector<std::string> types{"auto"};
    if (!medium.usb || medium.removable) return types;
    types.emplace_back("sat");
    constexpr std::array<std::pair<std::string_view, const char*>, 3> bridges{
        {{"174c", "sntasmedia"}, {"152d", "sntjmicron"}, {"0bda", "sntrealtek"}}};
    for (const auto& [vendor, type] : bridges)
        if (medium.usb->vendor_id == vendor) types.emplace_back(type);
    return types;
}

} // namespace mediarig::media
