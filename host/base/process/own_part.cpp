// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/own_part.hpp"

#include <fmt/format.h>

namespace mediarig::process {

namespace fs = std::filesystem;

fs::path own_part(std::string_view name) {
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    const fs::path installed = folder.parent_path() / "libexec/mediarig" / name;
    if (fs::path beside = folder / name; fs::exists(beside, unknown) || !fs::exists(installed, unknown)) return beside;
    return installed;
}

Result<fs::path> find_lab_part(std::string_view name, std::string_view purpose) {
    const fs::path part = own_part(name);
    std::error_code unknown;
    if (fs::is_regular_file(part, unknown)) return part;
    return fail(Errc::no_driver,
                fmt::format("{}, which {}, is not at {}: build it, or install the package mediarig-lab", name, purpose,
                            part.string()));
}

} // namespace mediarig::process
