// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/media/medium.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

// Each type lists its members once; Writer and Reader walk the same list, so that the two directions cannot drift
// apart.
template <class Archive, class T>
void members(Archive& archive, T& value);

class Writer {
public:
    template <class T>
    void operator()(const char* name, const T& value) {
        object_[name] = write(value);
    }
    template <class T>
    void operator()(const char* name, const std::optional<T>& value) {
        if (value) object_[name] = write(*value);
    }
    json take() { return std::move(object_); }

private:
    template <class T>
    static json write(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            return value;
        } else if constexpr (std::is_same_v<T, Bytes>) {
            return value.count;
        } else if constexpr (std::is_enum_v<T>) {
            return name_of(value);
        } else {
            Writer inner;
            members(inner, value);
            return inner.take();
        }
    }
    template <class T>
    static json write(const std::vector<T>& values) {
        json list = json::array();
        for (const T& value : values) list.push_back(write(value));
        return list;
    }
    json object_ = json::object();
};

template <class Enum>
constexpr Enum last_of{};
template <>
constexpr Transport last_of<Transport> = Transport::directory;
template <>
constexpr RefusalKind last_of<RefusalKind> = RefusalKind::unknown_state;
template <>
constexpr SmartState last_of<SmartState> = SmartState::failed;

/// Remembers the first thing that did not fit, with its place; an absent member keeps its default.
class Reader {
public:
    Reader(const json& object, std::string place, std::string& problem)
        : object_(object), place_(std::move(place)), problem_(problem) {}

    template <class T>
    void operator()(const char* name, T& value) {
        if (!problem_.empty()) return;
        if (!object_.is_object()) return complain(place_, "an object");
        const auto found = object_.find(name);
        if (found == object_.end() || found->is_null()) return;
        read(*found, place_ + "." + name, value);
    }

private:
    void complain(const std::string& place, const char* wanted) {
        if (problem_.empty()) problem_ = fmt::format("{} is not {}", place, wanted);
    }
    template <class T>
    void read(const json& from, const std::string& place, std::optional<T>& value) {
        read(from, place, value.emplace());
    }
    template <class T>
    void read(const json& from, const std::string& place, std::vector<T>& values) {
        if (!from.is_array()) return complain(place, "a list");
        values.clear();
        for (std::size_t i = 0; i < from.size(); ++i)
            read(from[i], fmt::format("{}[{}]", place, i), values.emplace_back());
    }
    template <class T>
    void read(const json& from, const std::string& place, T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            if (!from.is_boolean()) return complain(place, "true or false");
            value = from.get<bool>();
        } else if constexpr (std::is_floating_point_v<T>) {
            if (!from.is_number()) return complain(place, "a number");
            value = from.get<T>();
        } else if constexpr (std::is_integral_v<T>) {
            // get<>() would wrap silently: a count must fit its type.
            const bool natural =
                from.is_number_unsigned() || (from.is_number_integer() && from.get<std::int64_t>() >= 0);
            if (!natural || from.get<std::uint64_t>() > std::numeric_limits<T>::max())
                return complain(place, "a count in range");
            value = from.get<T>();
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (!from.is_string()) return complain(place, "a text");
            value = from.get<std::string>();
        } else if constexpr (std::is_same_v<T, Bytes>) {
            read(from, place, value.count);
        } else if constexpr (std::is_enum_v<T>) {
            if (!from.is_string()) return complain(place, "a text");
            read_name(from.get<std::string>(), place, value);
        } else {
            Reader inner(from, place, problem_);
            members(inner, value);
        }
    }
    template <class Enum>
    void read_name(const std::string& name, const std::string& place, Enum& value) {
        constexpr int last = static_cast<int>(last_of<Enum>);
        for (int i = 0; i <= last; ++i) {
            if (name_of(static_cast<Enum>(i)) == name) {
                value = static_cast<Enum>(i);
                return;
            }
        }
        complain(place, "a known name");
    }
    const json& object_;
    std::string place_;
    std::string& problem_;
};

template <class T, class U>
constexpr bool is = std::is_same_v<std::remove_const_t<T>, U>;

template <class Archive, class T>
void members(Archive& a, T& v) {
    if constexpr (is<T, DeviceNumber>) {
        a("major", v.major), a("minor", v.minor);
    } else if constexpr (is<T, FileIdentity>) {
        a("device", v.device), a("inode", v.inode);
    } else if constexpr (is<T, UsbIdentity>) {
        a("vendor_id", v.vendor_id), a("product_id", v.product_id), a("release", v.release);
        a("manufacturer", v.manufacturer), a("product", v.product), a("serial", v.serial);
        a("speed_mbit", v.speed_mbit), a("driver", v.driver), a("port_path", v.port_path);
        a("max_power_ma", v.max_power_ma), a("version", v.version), a("device_class", v.device_class);
        a("interface_class", v.interface_class), a("configuration_name", v.configuration_name);
        a("configuration", v.configuration), a("configurations", v.configurations);
        a("rx_lanes", v.rx_lanes), a("tx_lanes", v.tx_lanes), a("bus", v.bus), a("address", v.address);
        a("wiring", v.wiring), a("offers_bot", v.offers_bot), a("offers_uas", v.offers_uas);
        a("capable_mbit", v.capable_mbit);
    } else if constexpr (is<T, ScsiInquiry>) {
        a("peripheral_type", v.peripheral_type), a("removable", v.removable), a("version", v.version);
    } else if constexpr (is<T, ScsiDesignator>) {
        a("association", v.association), a("type", v.type), a("value", v.value);
    } else if constexpr (is<T, ScsiBlockLimits>) {
        a("max_transfer", v.max_transfer), a("optimal_transfer", v.optimal_transfer);
        a("optimal_granularity", v.optimal_granularity), a("max_unmap", v.max_unmap);
        a("max_unmap_descriptors", v.max_unmap_descriptors), a("unmap_granularity", v.unmap_granularity);
        a("unmap_alignment", v.unmap_alignment), a("max_write_same", v.max_write_same);
    } else if constexpr (is<T, ScsiCharacteristics>) {
        a("rotation_rate", v.rotation_rate), a("form_factor", v.form_factor);
    } else if constexpr (is<T, ScsiProvisioning>) {
        a("unmap", v.unmap), a("write_same", v.write_same), a("write_same_10", v.write_same_10);
        a("zeroes_after", v.zeroes_after), a("type", v.type);
    } else if constexpr (is<T, ScsiIdentity>) {
        a("vendor", v.vendor), a("model", v.model), a("revision", v.revision);
        a("unit_serial", v.unit_serial), a("designator", v.designator), a("inquiry", v.inquiry);
        a("pages", v.pages), a("designators", v.designators), a("limits", v.limits);
        a("characteristics", v.characteristics), a("provisioning", v.provisioning);
    } else if constexpr (is<T, SdIdentity>) {
        a("cid", v.cid), a("csd", v.csd), a("scr", v.scr), a("ssr", v.ssr);
        a("manufacturer_id", v.manufacturer_id), a("oem_id", v.oem_id), a("product_name", v.product_name);
        a("revision", v.revision), a("serial", v.serial), a("year", v.year), a("month", v.month);
        a("csd_capacity", v.csd_capacity), a("allocation_unit", v.allocation_unit);
        a("speed_class", v.speed_class), a("uhs_grade", v.uhs_grade), a("video_class", v.video_class);
        a("app_class", v.app_class), a("spec_version", v.spec_version), a("ocr", v.ocr), a("dsr", v.dsr);
        a("rca", v.rca), a("fwrev", v.fwrev), a("hwrev", v.hwrev), a("erase_size", v.erase_size);
        a("preferred_erase_size", v.preferred_erase_size);
    } else if constexpr (is<T, NvmeIdentity>) {
        a("model", v.model), a("serial", v.serial), a("firmware", v.firmware), a("pcie_link", v.pcie_link);
    } else if constexpr (is<T, QueueLimits>) {
        a("minimum_io", v.minimum_io), a("optimal_io", v.optimal_io);
        a("discard_granularity", v.discard_granularity), a("discard_max", v.discard_max);
        a("max_transfer", v.max_transfer), a("alignment_offset", v.alignment_offset);
        a("write_cache", v.write_cache);
    } else if constexpr (is<T, SmartReport>) {
        a("state", v.state), a("detail", v.detail), a("tool", v.tool), a("device_type", v.device_type);
        a("exit_status", v.exit_status), a("exit_meanings", v.exit_meanings);
        a("model", v.model), a("serial", v.serial), a("firmware", v.firmware);
        a("temperature_c", v.temperature_c), a("power_on_hours", v.power_on_hours);
        a("power_cycles", v.power_cycles), a("reallocated_sectors", v.reallocated_sectors);
        a("pending_sectors", v.pending_sectors), a("media_errors", v.media_errors);
        a("percentage_used", v.percentage_used), a("critical_warning", v.critical_warning);
    } else if constexpr (is<T, Refusal>) {
        a("kind", v.kind), a("detail", v.detail);
    } else if constexpr (is<T, Partition>) {
        a("node", v.node), a("number", v.number), a("start", v.start), a("size", v.size);
        a("file_system", v.file_system), a("label", v.label), a("mounted_on", v.mounted_on);
    } else {
        static_assert(is<T, Medium>);
        a("node", v.node), a("number", v.number), a("disk_sequence", v.disk_sequence);
        a("sysfs_path", v.sysfs_path), a("transport", v.transport), a("vendor", v.vendor), a("model", v.model);
        a("revision", v.revision), a("serial", v.serial), a("size", v.size);
        a("logical_sector", v.logical_sector), a("physical_sector", v.physical_sector);
        a("rotational", v.rotational), a("removable", v.removable), a("read_only", v.read_only);
        a("backing_file", v.backing_file), a("file", v.file), a("file_system", v.file_system);
        a("usb", v.usb), a("scsi", v.scsi), a("sd", v.sd), a("nvme", v.nvme);
        a("queue", v.queue), a("smart", v.smart);
        a("partitions", v.partitions), a("refusals", v.refusals);
    }
}

} // namespace

json to_json(const SmartReport& report) {
    Writer writer;
    members(writer, report);
    return writer.take();
}

Result<SmartReport> smart_report_from_json(const json& from) {
    SmartReport report;
    std::string problem;
    Reader reader(from, "smart", problem);
    members(reader, report);
    if (!problem.empty()) return fail(Errc::bad_format, std::move(problem));
    return report;
}

json to_json(const Medium& medium) {
    Writer writer;
    members(writer, medium);
    return writer.take();
}

Result<Medium> medium_from_json(const json& from) {
    Medium medium;
    std::string problem;
    Reader reader(from, "medium", problem);
    members(reader, medium);
    // What cannot be named cannot be refused or written: the node is the one member that must be there.
    if (problem.empty() && medium.node.empty()) problem = "medium.node is missing";
    if (!problem.empty()) return fail(Errc::bad_format, std::move(problem));
    return medium;
}

} // namespace mediarig::media
