// SPDX-License-Identifier: GPL-3.0-or-later
/// What a medium is: everything it says of itself, and every reason why it may not be touched. Pure; crosses the wire
/// as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/identity_values.hpp"

namespace mediarig::media {

struct DeviceNumber {
    std::uint32_t major{};
    std::uint32_t minor{};
    auto operator<=>(const DeviceNumber&) const = default;
};

/// A file, whatever its names: st_dev and st_ino of stat(2).
struct FileIdentity {
    std::uint64_t device{};
    std::uint64_t inode{};
    auto operator<=>(const FileIdentity&) const = default;
};

enum class Transport : std::uint8_t {
    unknown,
    usb,
    mmc,
    nvme,
    sata,
    scsi,
    virtio,
    loop,
    image,
    zram,
    other,
    directory
};

/// Why a device may not be written. Each stands for itself: one is enough.
enum class RefusalKind : std::uint8_t {
    system_disk,   ///< carries /, /boot, /usr, /var, /home or the running root's backing device
    mounted,       ///< it or a partition of it is mounted, in this or another mount namespace we can see
    swap,          ///< in use as swap
    held,          ///< a dm, MD, bcache, ZFS or loop device sits on it
    raid_member,   ///< signature of LVM, MD, ZFS, btrfs multi-device, DDF, bcache, VMFS…
    encrypted,     ///< LUKS or BitLocker signature, opened or not
    read_only,     ///< write protected
    no_medium,     ///< an empty reader slot
    not_removable, ///< an internal disk (SATA, NVMe, virtio, SCSI not over USB or Thunderbolt)
    partition,     ///< a partition, not a whole device
    ambiguous,     ///< another device present has the same serial, and no slot tells them apart
    in_use,        ///< somebody has it open exclusively
    too_small,     ///< less than 1 MiB
    unknown_state, ///< something that had to be read could not be read: doubt is a refusal
};
struct Refusal {
    RefusalKind kind{};
    std::string detail; ///< one line naming the culprit: "partition sda2 is mounted on /"
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
    DeviceNumber number;           ///< 0:0 for an image file that is not attached
    std::uint64_t disk_sequence{}; ///< kernel diskseq; 0 where the kernel has none
    /// Where it is attached, as the agent's system names it (Linux: the path below /sys/devices): only to be compared
    /// and shown. Empty for an image.
    std::string sysfs_path;
    /// What it shares with other media on its way to the machine: its host controller, and behind it each hub, the
    /// nearest last; not its own reader. Names of the agent's system. Empty where no controller is known.
    std::vector<std::string> uplinks;
    std::optional<std::uint64_t> lun; ///< SCSI logical unit number; unset: no SCSI device
    Transport transport{};
    std::string vendor, model, revision, serial; ///< the best each transport offers, trimmed
    Bytes size;
    std::uint32_t logical_sector{512}, physical_sector{512};
    bool rotational{}, removable{}, read_only{};
    std::string backing_file; ///< of a loop device
    /// Of an image: the file that was described. Of a loop device: the file that it stands on, where the kernel tells.
    std::optional<FileIdentity> file;
    /// Of an image: when its file was made, ns since 1970; 0 where its file system does not say. An inode's number is
    /// given to the next file as soon as its own is removed.
    std::uint64_t file_born_ns{};
    std::string file_system; ///< signature on the whole device, "" where none
    std::optional<UsbIdentity> usb;
    std::optional<ScsiIdentity> scsi;
    std::optional<SdIdentity> sd;
    std::optional<NvmeIdentity> nvme;
    std::optional<QueueLimits> queue; ///< of a block device; none of an image that is not attached
    std::optional<SmartReport> smart; ///< only where somebody asked the medium for it
    std::vector<Partition> partitions;
    std::vector<Refusal> refusals;
    bool operator==(const Medium&) const = default;
};

/// Names a physical medium over re-plugs: from CID, else serial with vendor and model, else the image's path.
/// File-name safe ("usb-0781-5581-4C530001230715117180", "image-Prüflos.img-1f3a…"). Stable over versions.
[[nodiscard]] std::string device_key(const Medium& medium);
/// Whether whoever claims a medium has said that its contents being unknown is fine: --contents-unknown.
enum class Contents : std::uint8_t { must_be_known, may_be_unknown };

/// The same of its use by other programs, where this cannot be determined: --use-unknown.
enum class Use : std::uint8_t { must_be_known, may_be_unknown };
inline constexpr std::string_view how_to_permit_unknown_use =
    "if no other program uses it, add --use-unknown (\"use_unknown\": true in a plan)";

struct ClaimRequest {
    std::string target;   ///< a device node or an image file
    std::string confirm;  ///< what confirmation_of() gives, typed by a person or written in a plan
    std::string presence; ///< presence_of() what the asker was told of the target; empty where it was told nothing
    Contents contents{Contents::must_be_known};
    Use use{Use::must_be_known};
};

/// Names what is there now, until it is unplugged, exchanged or replaced: a device by number and disk sequence, an
/// image by the file itself. What was described by one look and is claimed by the next one has the same.
[[nodiscard]] std::string presence_of(const Medium& medium);
/// What a person has to type to confirm a destructive action: the serial, or the path where there is none.
[[nodiscard]] std::string confirmation_of(const Medium& medium);
/// What tells two USB devices of the same serial apart: "usb port path 1-2.3", with " lun 1" for further slots of one
/// reader. Empty where the medium does not hang on USB.
[[nodiscard]] std::string port_confirmation_of(const Medium& medium);

/// Whether there is anything to ask for SMART: a disk, or something on USB that may be one.
[[nodiscard]] bool may_have_smart(const Medium& medium);

[[nodiscard]] std::string_view name_of(Transport transport);
[[nodiscard]] std::string_view name_of(RefusalKind kind);
[[nodiscard]] nlohmann::json to_json(const Medium& medium);
[[nodiscard]] Result<Medium> medium_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const SmartReport& report);
[[nodiscard]] Result<SmartReport> smart_report_from_json(const nlohmann::json& json);

/// Text that devices say of themselves, made safe for terminals and JSON.

/// Without leading and trailing white space and NULs.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Trimmed; controls (see host/base/text.hpp) and bytes that are no UTF-8 become '?': what is kept of a serial is typed
/// by people as the confirmation, and a question mark is on every keyboard.
[[nodiscard]] std::string typeable(std::string_view raw);

/// Where on a medium a volume lies.

/// GPT tables hold 128 entries, rarely more; the inspector reads up to so many.
inline constexpr std::uint32_t highest_partition = 1024;

struct VolumeSpan {
    Bytes start, length;
    std::uint32_t partition{}; ///< its number in the table, from 1; 0: the volume has the medium to itself
    bool operator==(const VolumeSpan&) const = default;
};

/// "partition 2", "the whole medium".
[[nodiscard]] std::string name_of(const VolumeSpan& span);

} // namespace mediarig::media
