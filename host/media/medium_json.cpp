// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

/// Members that a medium does not report keep their defaults.
template <class Owner, class T>
constexpr auto lenient(const char* name, T Owner::*field) {
    return codec::member(name, field).or_default();
}

/// The node is the only required member: a medium without it cannot be refused or written.
bool has_node(const Medium& medium) {
    return !medium.node.empty();
}

} // namespace

constexpr auto members_of(codec::Tag<DeviceNumber>) {
    return codec::members(lenient("major", &DeviceNumber::major), lenient("minor", &DeviceNumber::minor));
}

constexpr auto members_of(codec::Tag<FileIdentity>) {
    return codec::members(lenient("device", &FileIdentity::device), lenient("inode", &FileIdentity::inode));
}

constexpr auto members_of(codec::Tag<UsbIdentity>) {
    return codec::members(
        lenient("vendor_id", &UsbIdentity::vendor_id), lenient("product_id", &UsbIdentity::product_id),
        lenient("release", &UsbIdentity::release), lenient("manufacturer", &UsbIdentity::manufacturer),
        lenient("product", &UsbIdentity::product), lenient("serial", &UsbIdentity::serial),
        lenient("speed_mbit", &UsbIdentity::speed_mbit), lenient("driver", &UsbIdentity::driver),
        lenient("port_path", &UsbIdentity::port_path), lenient("max_power_ma", &UsbIdentity::max_power_ma),
        lenient("version", &UsbIdentity::version), lenient("device_class", &UsbIdentity::device_class),
        lenient("interface_class", &UsbIdentity::interface_class),
        lenient("configuration_name", &UsbIdentity::configuration_name),
        lenient("configuration", &UsbIdentity::configuration), lenient("configurations", &UsbIdentity::configurations),
        lenient("rx_lanes", &UsbIdentity::rx_lanes), lenient("tx_lanes", &UsbIdentity::tx_lanes),
        lenient("bus", &UsbIdentity::bus), lenient("address", &UsbIdentity::address),
        lenient("wiring", &UsbIdentity::wiring), lenient("offers_bot", &UsbIdentity::offers_bot),
        lenient("offers_uas", &UsbIdentity::offers_uas), lenient("capable_mbit", &UsbIdentity::capable_mbit));
}

constexpr auto members_of(codec::Tag<ScsiInquiry>) {
    return codec::members(lenient("peripheral_type", &ScsiInquiry::peripheral_type),
                          lenient("removable", &ScsiInquiry::removable), lenient("version", &ScsiInquiry::version));
}

constexpr auto members_of(codec::Tag<ScsiDesignator>) {
    return codec::members(lenient("association", &ScsiDesignator::association), lenient("type", &ScsiDesignator::type),
                          lenient("value", &ScsiDesignator::value));
}

constexpr auto members_of(codec::Tag<ScsiBlockLimits>) {
    return codec::members(lenient("max_transfer", &ScsiBlockLimits::max_transfer),
                          lenient("optimal_transfer", &ScsiBlockLimits::optimal_transfer),
                          lenient("optimal_granularity", &ScsiBlockLimits::optimal_granularity),
                          lenient("max_unmap", &ScsiBlockLimits::max_unmap),
                          lenient("max_unmap_descriptors", &ScsiBlockLimits::max_unmap_descriptors),
                          lenient("unmap_granularity", &ScsiBlockLimits::unmap_granularity),
                          lenient("unmap_alignment", &ScsiBlockLimits::unmap_alignment),
                          lenient("max_write_same", &ScsiBlockLimits::max_write_same));
}

constexpr auto members_of(codec::Tag<ScsiCharacteristics>) {
    return codec::members(lenient("rotation_rate", &ScsiCharacteristics::rotation_rate),
                          lenient("form_factor", &ScsiCharacteristics::form_factor));
}

constexpr auto members_of(codec::Tag<ScsiProvisioning>) {
    return codec::members(
        lenient("unmap", &ScsiProvisioning::unmap), lenient("write_same", &ScsiProvisioning::write_same),
        lenient("write_same_10", &ScsiProvisioning::write_same_10),
        lenient("zeroes_after", &ScsiProvisioning::zeroes_after), lenient("type", &ScsiProvisioning::type));
}

constexpr auto members_of(codec::Tag<ScsiIdentity>) {
    return codec::members(
        lenient("vendor", &ScsiIdentity::vendor), lenient("model", &ScsiIdentity::model),
        lenient("revision", &ScsiIdentity::revision), lenient("unit_serial", &ScsiIdentity::unit_serial),
        lenient("designator", &ScsiIdentity::designator), lenient("inquiry", &ScsiIdentity::inquiry),
        lenient("pages", &ScsiIdentity::pages), lenient("designators", &ScsiIdentity::designators),
        lenient("limits", &ScsiIdentity::limits), lenient("characteristics", &ScsiIdentity::characteristics),
        lenient("provisioning", &ScsiIdentity::provisioning));
}

constexpr auto members_of(codec::Tag<SdIdentity>) {
    return codec::members(
        lenient("cid", &SdIdentity::cid), lenient("csd", &SdIdentity::csd), lenient("scr", &SdIdentity::scr),
        lenient("ssr", &SdIdentity::ssr), lenient("manufacturer_id", &SdIdentity::manufacturer_id),
        lenient("oem_id", &SdIdentity::oem_id), lenient("product_name", &SdIdentity::product_name),
        lenient("revision", &SdIdentity::revision), lenient("serial", &SdIdentity::serial),
        lenient("year", &SdIdentity::year), lenient("month", &SdIdentity::month),
        lenient("csd_capacity", &SdIdentity::csd_capacity), lenient("allocation_unit", &SdIdentity::allocation_unit),
        lenient("speed_class", &SdIdentity::speed_class), lenient("uhs_grade", &SdIdentity::uhs_grade),
        lenient("video_class", &SdIdentity::video_class), lenient("app_class", &SdIdentity::app_class),
        lenient("spec_version", &SdIdentity::spec_version), lenient("ocr", &SdIdentity::ocr),
        lenient("host_ocr", &SdIdentity::host_ocr), lenient("dsr", &SdIdentity::dsr), lenient("rca", &SdIdentity::rca),
        lenient("fwrev", &SdIdentity::fwrev), lenient("hwrev", &SdIdentity::hwrev),
        lenient("erase_size", &SdIdentity::erase_size),
        lenient("preferred_erase_size", &SdIdentity::preferred_erase_size),
        lenient("supply_rest_ua", &SdIdentity::supply_rest_ua), lenient("supply_most_ua", &SdIdentity::supply_most_ua),
        lenient("bus_timing", &SdIdentity::bus_timing), lenient("bus_clock_hz", &SdIdentity::bus_clock_hz),
        lenient("bus_width", &SdIdentity::bus_width));
}

constexpr auto members_of(codec::Tag<NvmeIdentity>) {
    return codec::members(lenient("model", &NvmeIdentity::model), lenient("serial", &NvmeIdentity::serial),
                          lenient("firmware", &NvmeIdentity::firmware), lenient("pcie_link", &NvmeIdentity::pcie_link));
}

constexpr auto members_of(codec::Tag<ModelFigures>) {
    return codec::members(lenient("read_bytes_per_second", &ModelFigures::read_bytes_per_second),
                          lenient("write_bytes_per_second", &ModelFigures::write_bytes_per_second),
                          lenient("read_request_ns", &ModelFigures::read_request_ns),
                          lenient("write_request_ns", &ModelFigures::write_request_ns));
}

constexpr auto members_of(codec::Tag<QueueLimits>) {
    return codec::members(
        lenient("minimum_io", &QueueLimits::minimum_io), lenient("optimal_io", &QueueLimits::optimal_io),
        lenient("discard_granularity", &QueueLimits::discard_granularity),
        lenient("discard_max", &QueueLimits::discard_max), lenient("max_transfer", &QueueLimits::max_transfer),
        lenient("alignment_offset", &QueueLimits::alignment_offset), lenient("write_cache", &QueueLimits::write_cache));
}

constexpr auto members_of(codec::Tag<SmartReport>) {
    return codec::members(
        lenient("state", &SmartReport::state), lenient("detail", &SmartReport::detail),
        lenient("tool", &SmartReport::tool), lenient("device_type", &SmartReport::device_type),
        lenient("exit_status", &SmartReport::exit_status), lenient("exit_meanings", &SmartReport::exit_meanings),
        lenient("model", &SmartReport::model), lenient("serial", &SmartReport::serial),
        lenient("firmware", &SmartReport::firmware), lenient("temperature_c", &SmartReport::temperature_c),
        lenient("power_on_hours", &SmartReport::power_on_hours), lenient("power_cycles", &SmartReport::power_cycles),
        lenient("reallocated_sectors", &SmartReport::reallocated_sectors),
        lenient("pending_sectors", &SmartReport::pending_sectors), lenient("media_errors", &SmartReport::media_errors),
        lenient("percentage_used", &SmartReport::percentage_used),
        lenient("critical_warning", &SmartReport::critical_warning), lenient("written", &SmartReport::written));
}

constexpr auto members_of(codec::Tag<CardHealth>) {
    return codec::members(
        lenient("state", &CardHealth::state), lenient("detail", &CardHealth::detail),
        lenient("layout", &CardHealth::layout), lenient("command", &CardHealth::command),
        lenient("life_used", &CardHealth::life_used), lenient("spare_blocks", &CardHealth::spare_blocks),
        lenient("factory_bad_blocks", &CardHealth::factory_bad_blocks),
        lenient("later_bad_blocks", &CardHealth::later_bad_blocks), lenient("erase_least", &CardHealth::erase_least),
        lenient("erase_mean", &CardHealth::erase_mean), lenient("erase_most", &CardHealth::erase_most),
        lenient("erase_total", &CardHealth::erase_total), lenient("rated_erases", &CardHealth::rated_erases),
        lenient("power_ups", &CardHealth::power_ups), lenient("power_losses", &CardHealth::power_losses),
        lenient("written", &CardHealth::written), lenient("flash_id", &CardHealth::flash_id),
        lenient("controller", &CardHealth::controller), lenient("firmware", &CardHealth::firmware),
        lenient("product", &CardHealth::product), lenient("made", &CardHealth::made),
        lenient("features", &CardHealth::features), lenient("life_code_a", &CardHealth::life_code_a),
        lenient("life_code_b", &CardHealth::life_code_b), lenient("pre_eol", &CardHealth::pre_eol));
}

constexpr auto members_of(codec::Tag<Refusal>) {
    return codec::members(lenient("kind", &Refusal::kind), lenient("detail", &Refusal::detail));
}

constexpr auto members_of(codec::Tag<Partition>) {
    return codec::members(lenient("node", &Partition::node), lenient("number", &Partition::number),
                          lenient("start", &Partition::start), lenient("size", &Partition::size),
                          lenient("file_system", &Partition::file_system), lenient("label", &Partition::label),
                          lenient("mounted_on", &Partition::mounted_on));
}

constexpr auto members_of(codec::Tag<Medium>) {
    return codec::members(
        lenient("node", &Medium::node), lenient("number", &Medium::number),
        lenient("disk_sequence", &Medium::disk_sequence), lenient("sysfs_path", &Medium::sysfs_path),
        lenient("uplinks", &Medium::uplinks), lenient("lun", &Medium::lun), lenient("transport", &Medium::transport),
        lenient("vendor", &Medium::vendor), lenient("model", &Medium::model), lenient("revision", &Medium::revision),
        lenient("serial", &Medium::serial), lenient("size", &Medium::size),
        lenient("logical_sector", &Medium::logical_sector), lenient("physical_sector", &Medium::physical_sector),
        lenient("rotational", &Medium::rotational), lenient("removable", &Medium::removable),
        lenient("read_only", &Medium::read_only), lenient("backing_file", &Medium::backing_file),
        lenient("file", &Medium::file), lenient("file_born_ns", &Medium::file_born_ns),
        lenient("file_system", &Medium::file_system), lenient("usb", &Medium::usb), lenient("scsi", &Medium::scsi),
        lenient("sd", &Medium::sd), lenient("nvme", &Medium::nvme), lenient("queue", &Medium::queue),
        lenient("smart", &Medium::smart), lenient("health", &Medium::health),
        lenient("card_model", &Medium::card_model), lenient("partitions", &Medium::partitions),
        lenient("refusals", &Medium::refusals), codec::must("node", has_node, "missing"));
}

json to_json(const ModelFigures& figures) {
    return codec::encode(figures);
}
Result<ModelFigures> model_figures_from_json(const json& from) {
    return codec::decode<ModelFigures>(from, "card_model");
}

json to_json(const SmartReport& report) {
    return codec::encode(report);
}
Result<SmartReport> smart_report_from_json(const json& from) {
    return codec::decode<SmartReport>(from, "smart");
}
void read_form(const json& from, const codec::Path& at, SmartReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}

json to_json(const CardHealth& health) {
    return codec::encode(health);
}
Result<CardHealth> card_health_from_json(const json& from) {
    return codec::decode<CardHealth>(from, "health");
}
void read_form(const json& from, const codec::Path& at, CardHealth& health, codec::DecodeError& fault) {
    codec::read(from, at, health, fault);
}

json to_json(const Medium& medium) {
    return codec::encode(medium);
}
Result<Medium> medium_from_json(const json& from) {
    return codec::decode<Medium>(from, "medium");
}
void read_form(const json& from, const codec::Path& at, Medium& medium, codec::DecodeError& fault) {
    codec::read(from, at, medium, fault);
}
void check_form(const Medium& medium, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(medium, at, fault);
}

} // namespace mediarig::media
