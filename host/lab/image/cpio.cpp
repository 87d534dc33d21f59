// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/cpio.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <set>
#include <string_view>

namespace mediarig::lab {
namespace {

constexpr const char* end_name = "TRAILER!!!";

/// Describes the fault in a name; empty for a valid one.
std::string fault_in(const CpioEntry& entry, const std::set<std::string>& folders, const std::set<std::string>& names) {
    const std::string& name = entry.name;
    if (name.empty()) return "is empty";
    if (name.front() == '/') return "is absolute";
    if (name.find('\0') != std::string::npos) return "holds a NUL byte";
    if (name == end_name) return "ends an archive";
    if (("/" + name + "/").find("/../") != std::string::npos) return "leads upwards";
    if (names.contains(name)) return "comes twice";
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos && !folders.contains(name.substr(0, slash))) return "has no folder before it";
    if (entry.data.size() > std::numeric_limits<std::uint32_t>::max()) return "has more than 4 GiB of data";
    return {};
}

void pad_to_four(std::string& archive) {
    archive.resize((archive.size() + 3) / 4 * 4, '\0');
}

void append(std::string& archive, std::uint32_t inode, const CpioEntry& entry) {
    const unsigned links = (entry.mode & 0170000U) == cpio_folder ? 2 : 1;
    fmt::format_to(std::back_inserter(archive), "070701{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}", inode, entry.mode,
                   0, 0, links, 0, entry.data.size());
    fmt::format_to(std::back_inserter(archive), "{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}", 0, 0, entry.device_major,
                   entry.device_minor, entry.name.size() + 1, 0);
    archive.append(entry.name).push_back('\0');
    pad_to_four(archive);
    archive.append(entry.data);
    pad_to_four(archive);
}

} // namespace

Result<std::string> newc_archive(const std::vector<CpioEntry>& entries) {
    std::set<std::string> names, folders;
    std::string archive;
    std::uint32_t inode = 1;
    for (const CpioEntry& entry : entries) {
        if (const std::string fault = fault_in(entry, folders, names); !fault.empty())
            return fail(Errc::bad_request, fmt::format("the archive's entry '{}' {}", entry.name, fault));
        append(archive, inode++, entry);
        names.insert(entry.name);
        if ((entry.mode & 0170000U) == cpio_folder) folders.insert(entry.name);
    }
    append(archive, 0, {.name = end_name});
    return archive;
}

} // namespace mediarig::lab
