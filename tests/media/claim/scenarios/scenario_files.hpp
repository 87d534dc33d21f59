// SPDX-License-Identifier: GPL-3.0-or-later
/// The files of one scenario: their file system, contents and names.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/media/claim/scenarios/rng.hpp"
#include "tests/media/claim/scenarios/snapshot.hpp"

namespace mediarig::claim_scenarios {

enum class Backing : std::uint8_t { tmpfs, ext4, overlay };
enum class ContentKind : std::uint8_t { data, ext4, erofs, swap, table, database };
[[nodiscard]] const char* name_of(Backing backing);
[[nodiscard]] const char* name_of(ContentKind kind);

/// Initial content of a range of a file.
struct Content {
    ContentKind kind{};
    Range range;
};

/// The first page of a swap area (include/linux/swap.h, union swap_header). All pages of the area except the last page
/// are bad.
[[nodiscard]] Blocks swap_header();
/// Like swap_header(), but for a swap file, in which the kernel accepts no bad pages: an area of one page.
[[nodiscard]] Blocks swap_file_header();
/// The first page of an SQLite database (sqlite.org, "Database File Format", section 1.3).
[[nodiscard]] Blocks database_header();

/// Small volumes, made once by their own tools and copied into the scenarios' files; empty if a tool is missing.
struct Templates {
    Blocks ext4, erofs;
};

/// Folders that contain the scenarios' files; mounted once for all scenarios.
struct BackingFolders {
    std::string base; ///< mount point of a tmpfs
    Templates templates;
    bool has_ext4{}, has_overlay{}; ///< true if this kernel supports the file system
    [[nodiscard]] std::string folder_of(Backing backing) const;
    /// Upper folder of the overlay.
    [[nodiscard]] std::string upper() const { return base + "/upper"; }
};
/// Requires that this process has its own mount namespace. Throws std::runtime_error.
[[nodiscard]] BackingFolders make_backing_folders(const std::string& base);

/// Mounts an overlay on `folder`/m, with the layers l, u and w in `layers_in`, which ends with a slash. Returns 0 or an
/// errno.
[[nodiscard]] int mount_overlay(const std::string& folder, const std::string& layers_in);
/// Like mount_overlay(), with the layers of `folder` by relative paths.
[[nodiscard]] int mount_relative_overlay(const std::string& folder);

struct File {
    std::string name;                         ///< name for messages
    Descriptor handle{-1};                    ///< O_PATH; on an overlay: descriptor of the upper file
    std::vector<std::pair<dev_t, ino_t>> ids; ///< identities of the file through each of its file systems
    std::uint64_t size{};
    std::vector<Content> contents;
    Blocks seen; ///< content at the last check
};

class ScenarioFiles {
public:
    ScenarioFiles(const BackingFolders& backing_folders, std::uint64_t number, Rng rng);
    ~ScenarioFiles();
    ScenarioFiles(const ScenarioFiles&) = delete;
    ScenarioFiles& operator=(const ScenarioFiles&) = delete;

    [[nodiscard]] const std::string& base() const { return base_; }
    [[nodiscard]] Backing backing() const { return backing_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }
    std::vector<File>& files() { return files_; }
    /// Every path that names a file or a device at the start of the scenario: plain names, links, hard links, names in
    /// other layers of the overlay.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Paths that name this file now.
    [[nodiscard]] std::vector<std::string> names_of(int file) const;
    /// The plain names, which are exchanged with each other.
    [[nodiscard]] const std::vector<std::string>& plain_names() const { return plain_; }
    /// Number of the file that a path names now; -1 if it is no file of the scenario.
    [[nodiscard]] int file_at(const std::string& path) const;
    [[nodiscard]] int file_of(dev_t device, ino_t inode) const;
    /// An unused path for a mount point or a node.
    [[nodiscard]] std::string fresh_path(const std::string& kind);
    /// Two folders in the paths of the files: one folder is exchanged for a link to the other.
    [[nodiscard]] std::string main_folder() const { return folder_ + "/d"; }
    [[nodiscard]] std::string second_folder() const { return folder_ + "/e"; }
    /// Mounts an overlay with the main folder as its upper folder, for another mount namespace. Returns 0 or an errno.
    [[nodiscard]] int mount_over_main_folder() const;
    [[nodiscard]] std::string overlay_folder() const { return folder_ + "/merged"; }
    [[nodiscard]] std::string describe() const;

private:
    void make_file(const Templates& templates, Rng& rng, const std::string& name, bool for_swap);
    void place(const Templates& templates, Rng& rng, int fd, File& file);
    void make_names(Rng& rng);

    Backing backing_{};
    std::string base_, folder_, upper_;
    std::vector<File> files_;
    std::vector<std::string> plain_, names_;
    int fresh_{0};
};

} // namespace mediarig::claim_scenarios
