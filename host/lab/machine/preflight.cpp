// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/preflight.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/base/process/run_process.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

std::uint64_t mebibytes(Bytes amount) {
    return amount / 1_MiB;
}

} // namespace

std::string wanted_qemu() {
    const char* named = std::getenv("MEDIARIG_QEMU"); // NOLINT(concurrency-mt-unsafe): no thread writes the environment
    return named != nullptr && *named != '\0' ? named : "qemu-system-x86_64";
}

Result<std::string> find_qemu(const std::string& program) {
    if (auto found = process::find_program(program)) return found;
    return fail(Errc::no_driver,
                fmt::format("the lab needs {}, which is not installed: install the package qemu-system-x86", program));
}

Result<void> check_image(const BootFiles& image) {
    for (const std::string& file : {image.kernel, image.initrd}) {
        std::error_code none;
        if (file.empty() || !fs::is_regular_file(file, none))
            return fail(Errc::no_driver, fmt::format("the lab has no guest image{}: build it with 'mediarig lab build'",
                                                     file.empty() ? std::string() : " at " + file));
        if (::access(file.c_str(), R_OK) != 0)
            return fail(Errc::no_permission,
                        fmt::format("cannot read the guest image {}: {}", file, std::strerror(errno)));
    }
    return {};
}

Result<Bytes> available_memory(std::istream& meminfo) {
    for (std::string name; meminfo >> name;) {
        std::uint64_t kibibytes{};
        if (name == "MemAvailable:" && meminfo >> kibibytes) return 1_KiB * kibibytes;
        std::getline(meminfo, name);
    }
    return fail(Errc::bad_format, "/proc/meminfo does not report the available memory");
}

Result<void> check_memory(Bytes guest, Bytes available) {
    const Bytes needed = guest + qemu_memory;
    if (available >= needed) return {};
    return fail(Errc::no_driver,
                fmt::format("the lab needs {} MiB of memory and {} MiB are available: close other programs",
                            mebibytes(needed), mebibytes(available)));
}

Result<void> check_free_space(const std::string& directory, Bytes needed) {
    std::error_code failed;
    const fs::space_info space = fs::space(directory, failed);
    if (failed)
        return fail(Errc::io_failed, fmt::format("cannot read the free space of {}: {}", directory, failed.message()));
    if (space.available >= needed.count) return {};
    return fail(Errc::no_driver,
                fmt::format("{} has {} MiB free and the lab needs {} MiB: free some space or choose another directory",
                            directory, mebibytes({space.available}), mebibytes(needed)));
}

Result<Bytes> size_of_image(const std::string& path) {
    std::error_code failed;
    const auto size = fs::file_size(path, failed);
    if (failed) return fail(Errc::no_medium, fmt::format("there is no image file {}: {}", path, failed.message()));
    if (::access(path.c_str(), R_OK | W_OK) != 0)
        return fail(Errc::no_permission, fmt::format("cannot write to {}: {}", path, std::strerror(errno)));
    return Bytes{size};
}

} // namespace mediarig::lab
