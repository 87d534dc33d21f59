// SPDX-License-Identifier: GPL-3.0-or-later
/// Properties of a medium: its reported identity, and every reason to refuse it. Pure; transferred as JSON between host
/// and agent.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/identity_values.hpp"

namespace mediarig::media {

using mediarig::name_of;

struct DeviceNumber {
    std::uint32_t major{};
    std::uint32_t minor{};
    auto operator<=>(const DeviceNumber&) const = default;
};

/// Identity of a file, whatever its name: st_dev and st_ino of stat(2).
struct FileIdentity {
    std::uint64_t device{};
    std::uint64_t inode{};
    auto operator<=>(const FileIdentity&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(Transport, std::uint8_t, unknown, usb, mmc, nvme, sata, scsi, virtio, loop, image, zram,
                              other, directory)

/// Reasons not to write to a device. Each reason alone is sufficient.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    RefusalKind, std::uint8_t,
    system_disk,      ///< contains /, /boot, /usr, /var, /home or the root's backing device
    mounted,          ///< the device or one of its partitions is mounted, in any visible mount namespace
    swap,             ///< in use as swap
    held,             ///< a dm, MD, bcache, ZFS or loop device uses it
    raid_member,      ///< signature of LVM, MD, ZFS, btrfs multi-device, DDF, bcache, VMFS…
    encrypted,        ///< LUKS or BitLocker signature, opened or not
    read_only,        ///< write-protected
    no_medium,        ///< an empty reader slot
    not_removable,    ///< an internal disk (SATA, NVMe, virtio, SCSI not over USB or Thunderbolt)
    partition,        ///< a partition, not a whole device
    ambiguous,        ///< another present device has the same serial, and no slot distinguishes them
    in_use,           ///< another process has the device open exclusively
    too_small,        ///< less than 1 MiB
    unknown_state,    ///< required data could not be read; a doubt is a refusal
    interrupted_check ///< a check that restores its data was interrupted: the medium contains test data
)
struct Refusal {
    RefusalKind kind{};
    std::string detail; ///< one line that names the cause: "partition sda2 is mounted on /"
    bool operator==(const Refusal&) const = default;
};

struct Partition {
    std::string node; ///< "/dev/sda1"
    std::uint32_t number{};
    Bytes start, size;
    std::string file_system, label;
    std::vector<std::string> mounted_on;
    bool operator==(const Partition&) const = default;
};

struct Medium {
    std::string node;              ///< "/dev/sda", or the exact absolute path of the image file
    DeviceNumber number;           ///< 0:0 for a detached image file
    std::uint64_t disk_sequence{}; ///< kernel diskseq; 0 if the kernel has none
    /// Attachment point as named by the agent's system (Linux: the path below /sys/devices); only for comparison and
    /// display. Empty for an image.
    std::string sysfs_path;
    /// Uplinks that the medium shares with other media: the host controller and the hubs after it, the nearest last;
    /// without the medium's own reader. Names are those of the agent's system. Empty if no controller is known.
    std::vector<std::string> uplinks;
    std::optional<std::uint64_t> lun; ///< SCSI logical unit number; unset: not a SCSI device
    Transport transport{};
    std::string vendor, model, revision, serial; ///< the best values available from the transport, trimmed
    Bytes size;
    std::uint32_t logical_sector{512}, physical_sector{512};
    bool rotational{}, removable{}, read_only{};
    std::string backing_file; ///< set only for a loop device
    /// For an image: the described file. For a loop device: its backing file, if the kernel reports it.
    std::optional<FileIdentity> file;
    /// Creation time of an image file, ns since 1970; 0 if its file system does not record it. Needed because an inode
    /// number is reused as soon as a file is removed.
    std::uint64_t file_born_ns{};
    std::string file_system; ///< signature on the whole device, "" if there is no signature
    std::optional<UsbIdentity> usb;
    std::optional<ScsiIdentity> scsi;
    std::optional<SdIdentity> sd;
    std::optional<NvmeIdentity> nvme;
    std::optional<QueueLimits> queue;       ///< for block devices; unset for a detached image
    std::optional<SmartReport> smart;       ///< only if requested
    std::optional<CardHealth> health;       ///< only if requested
    std::optional<ModelFigures> card_model; ///< only for an emulated medium in virtual time
    std::vector<Partition> partitions;
    std::vector<Refusal> refusals;
    bool operator==(const Medium&) const = default;
};

/// Names a physical medium, independent of re-plugging: from the CID, else from the serial with vendor and model, else
/// from the image's path. Usable as a file name ("usb-0781-5581-4C530001230715117180", "image-Prüflos.img-1f3a…").
/// Stable across versions.
[[nodiscard]] std::string device_key(const Medium& medium);
/// Permission to claim a medium whose contents are unknown: --contents-unknown.
enum class Contents : std::uint8_t { must_be_known, may_be_unknown };

/// Permission to claim a medium whose use by other programs cannot be determined: --use-unknown.
enum class Use : std::uint8_t { must_be_known, may_be_unknown };
inline constexpr std::string_view how_to_permit_unknown_use =
    "if no other program uses it, add --use-unknown (\"use_unknown\": true in a plan)";

struct ClaimRequest {
    std::string target;   ///< a device node or an image file
    std::string confirm;  ///< value of confirmation_of(), typed by the user or contained in a plan
    std::string presence; ///< presence_of() the target when it was described to the client; empty if it was not
                          ///< described
    Contents contents{Contents::must_be_known};
    Use use{Use::must_be_known};
    bool restores{}; ///< claims a medium of an interrupted check, to restore it; such a medium is refused otherwise
};

/// Identifies the present medium until it is unplugged, exchanged or replaced: a device by number and disk sequence, an
/// image by its file. Equal values of description and claim show that both refer to the same medium.
[[nodiscard]] std::string presence_of(const Medium& medium);
/// Text that the user must type to confirm a destructive action: the serial, or the path if there is no serial.
[[nodiscard]] std::string confirmation_of(const Medium& medium);
/// Distinguishes two USB devices with the same serial: "usb port path 1-2.3", with " lun 1" for further slots of one
/// reader. Empty if the medium is not on USB.
[[nodiscard]] std::string port_confirmation_of(const Medium& medium);

/// True if a SMART query makes sense: a disk, or a USB device that may be one.
[[nodiscard]] bool may_have_smart(const Medium& medium);
/// True if the medium is a card or an eMMC in a slot of the machine, to which the kernel forwards commands. A USB
/// reader that is a disk (/dev/sdX) forwards none.
[[nodiscard]] bool may_have_card_health(const Medium& medium);

[[nodiscard]] nlohmann::json to_json(const Medium& medium);
[[nodiscard]] Result<Medium> medium_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const ModelFigures& figures);
[[nodiscard]] Result<ModelFigures> model_figures_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const SmartReport& report);
[[nodiscard]] Result<SmartReport> smart_report_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const CardHealth& health);
[[nodiscard]] Result<CardHealth> card_health_from_json(const nlohmann::json& json);

/// Text without leading and trailing white space and NULs.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Trimmed text; control characters (see host/base/text.hpp) and invalid UTF-8 become '?'. Users type a serial in this
/// form as confirmation, and every keyboard has a question mark.
[[nodiscard]] std::string typeable(std::string_view raw);

/// Maximum number of partitions that the inspector reads. GPT tables have 128 entries, rarely more.
inline constexpr std::uint32_t highest_partition = 1024;

/// Position of a volume on a medium.
struct VolumeSpan {
    Bytes start, length;
    std::uint32_t partition{}; ///< number in the table, from 1; 0: the volume uses the whole medium
    bool operator==(const VolumeSpan&) const = default;
};

/// "partition 2", "the whole medium".
[[nodiscard]] std::string name_of(const VolumeSpan& span);

} // namespace mediarig::media
