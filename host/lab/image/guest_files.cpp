// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/elf_dependencies.hpp"
#include "host/lab/image/guest_init.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_folders[] = {"bin", "sbin", "usr/bin", "usr/sbin"};
constexpr const char* library_folders[] = {"lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"};
constexpr const char* root_folders[] = {"bin",  "dev", "etc", "lib", "proc",    "root",    "run",
                                        "sbin", "sys", "tmp", "usr", "usr/bin", "usr/sbin"};

/// Resolves the links of a file in the unpacked packages. Links, also absolute ones (such as that of the loader),
/// resolve within the packages and never to a file of this machine.
std::optional<fs::path> place_in(const fs::path& unpacked, fs::path file) {
    constexpr int most_links = 16;
    std::error_code failed;
    for (int links = 0; links < most_links && *file.begin() != ".."; ++links) {
        const fs::file_status found = fs::symlink_status(unpacked / file, failed);
        if (fs::is_regular_file(found)) return unpacked / file;
        if (!fs::is_symlink(found)) return std::nullopt;
        const fs::path target = fs::read_symlink(unpacked / file, failed);
        file = (target.is_absolute() ? target.relative_path() : file.parent_path() / target).lexically_normal();
        if (file.empty()) return std::nullopt;
    }
    return std::nullopt;
}

std::optional<fs::path> look_in(const fs::path& unpacked, const auto& folders, const std::string& name) {
    for (const char* folder : folders)
        if (place_in(unpacked, fs::path(folder) / name)) return fs::path(folder) / name;
    return std::nullopt;
}

Result<void> install_file(const fs::path& from, const fs::path& to) {
    if (auto made = make_folder(to.parent_path()); !made) return made;
    std::error_code failed;
    // Follow links: the copy needs the requested name only.
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
    if (failed)
        return fail(Errc::io_failed,
                    fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), failed.message()));
    return {};
}

Result<ElfDependencies> required_resources(const fs::path& file) {
    const auto program = read_file(file);
    if (!program) return fail(program.error());
    auto dependencies = elf_dependencies(*program);
    if (!dependencies)
        return fail(Errc::bad_format, fmt::format("{}: {}", file.filename().string(), dependencies.error().detail));
    return dependencies;
}

/// Copies a file found in the packages to its destination.
Result<void> install_from(const fs::path& unpacked, const fs::path& file, const fs::path& to) {
    const auto from = place_in(unpacked, file);
    if (!from) return fail(Errc::bad_format, fmt::format("none of the guest's packages has /{}", file.string()));
    return install_file(*from, to);
}

/// Copies the libraries of a program or library, recursively.
Result<void> install_needs(const fs::path& unpacked, const fs::path& file, const fs::path& root,
                           std::set<std::string>& installed) {
    const auto dependencies = required_resources(place_in(unpacked, file).value_or(unpacked / file));
    if (!dependencies) return fail(dependencies.error());
    if (!dependencies->loader.empty())
        if (auto done = install_from(unpacked, dependencies->loader.substr(1), root / dependencies->loader.substr(1));
            !done)
            return done;
    for (const std::string& library : dependencies->libraries) {
        if (!installed.insert(library).second) continue;
        const auto place = look_in(unpacked, library_folders, library);
        if (!place) {
            // The loader is a library too, at the path that programs use.
            if (library.starts_with("ld-linux")) continue;
            return fail(Errc::bad_format, fmt::format("{} needs {}, which none of the guest's packages has",
                                                      file.filename().string(), library));
        }
        // Folder that Debian's loader searches without a cache of names.
        if (auto done = install_from(unpacked, *place, root / library_folders[0] / library); !done) return done;
        if (auto done = install_needs(unpacked, *place, root, installed); !done) return done;
    }
    return {};
}

} // namespace

Result<void> install_programs(const fs::path& unpacked, const std::vector<std::string>& programs,
                              const fs::path& root) {
    std::set<std::string> installed;
    for (const std::string& program : programs) {
        const auto place = look_in(unpacked, program_folders, program);
        if (!place) return fail(Errc::bad_format, fmt::format("none of the guest's packages has {}", program));
        if (auto done = install_from(unpacked, *place, root / *place); !done) return done;
        if (auto done = install_needs(unpacked, *place, root, installed); !done) return done;
    }
    return {};
}

Result<void> install_folder(const fs::path& unpacked, const fs::path& folder, const fs::path& root) {
    std::error_code failed;
    if (!fs::is_directory(unpacked / folder, failed))
        return fail(Errc::bad_format, fmt::format("none of the guest's packages has /{}", folder.string()));
    if (auto made = make_folder(root / folder); !made) return made;
    fs::copy(unpacked / folder, root / folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing,
             failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot copy /{}: {}", folder.string(), failed.message()));
    return {};
}

Result<void> install_files(const std::vector<std::string>& files, const fs::path& folder) {
    if (auto made = make_folder(folder); !made) return made;
    for (const fs::path file : files)
        if (auto done = install_file(file, folder / file.filename()); !done) return done;
    return {};
}

Result<std::vector<CpioEntry>> entries_below(const fs::path& root) {
    std::map<std::string, CpioEntry> found;
    std::error_code failed;
    for (auto entry = fs::recursive_directory_iterator(root, failed);
         !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
        std::string name = entry->path().lexically_relative(root).string();
        CpioEntry made{.name = name, .mode = cpio_folder | 0755};
        if (!entry->is_directory(failed)) {
            auto content = read_file(entry->path());
            if (!content) return fail(content.error());
            const bool runs = (entry->status(failed).permissions() & fs::perms::owner_exec) != fs::perms::none;
            made.mode = cpio_file | (runs ? 0755U : 0644U);
            made.data = std::move(*content);
        }
        found.emplace(std::move(name), std::move(made));
    }
    if (failed) return fail(Errc::io_failed, fmt::format("cannot read {}: {}", root.string(), failed.message()));
    // The order of the map puts each folder before its contents.
    std::vector<CpioEntry> entries;
    entries.reserve(found.size());
    for (auto& [name, entry] : found) entries.push_back(std::move(entry));
    return entries;
}

Result<std::vector<CpioEntry>> guest_entries(const fs::path& root, std::string agent, bool self_check) {
    std::vector<CpioEntry> entries;
    for (const char* folder : root_folders) entries.push_back({.name = folder, .mode = cpio_folder | 0755});
    auto files = entries_below(root);
    if (!files) return files;
    entries.insert(entries.end(), std::make_move_iterator(files->begin()), std::make_move_iterator(files->end()));
    // The kernel opens the console before any file system is mounted.
    entries.push_back({.name = "dev/console", .mode = cpio_char | 0600, .device_major = 5, .device_minor = 1});
    entries.push_back({.name = "dev/null", .mode = cpio_char | 0666, .device_major = 1, .device_minor = 3});
    entries.push_back({.name = "init", .mode = cpio_file | 0755, .data = std::string(guest_init_script())});
    entries.push_back({.name = "usr/sbin/mediarig-agent", .mode = cpio_file | 0755, .data = std::move(agent)});
    if (self_check) entries.push_back({.name = std::string(guest_self_check), .mode = cpio_file | 0644});

    const auto before = [](const CpioEntry& a, const CpioEntry& b) { return a.name < b.name; };
    const auto same = [](const CpioEntry& a, const CpioEntry& b) { return a.name == b.name; };
    std::stable_sort(entries.begin(), entries.end(), before);
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
    return entries;
}

} // namespace mediarig::lab
