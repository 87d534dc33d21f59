// SPDX-License-Identifier: GPL-3.0-or-later
/// The files of one scenario: their file systems, contents and names.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/media/claim/scenarios/rng.hpp"
#include "tests/media/claim/scenarios/snapshot.hpp"

namespace mediarig::claim_scenarios {

enum class Backing : std::uint8_t { tmpfs, ext4, overlay };
enum class ContentKind : std::uint8_t { data, ext4, erofs, swap, table };
[[nodiscard]] const char* name_of(Backing backing);
[[nodiscard]] const char* name_of(ContentKind kind);

/// Initial content at a place of a file.
struct Content {
    ContentKind kind{};
    Range range;
};

/// Small volumes, made once by their tools and copied into the scenarios' files. Empty without the tool.
struct Templates {
    Blocks ext4, erofs;
};

/// Folders of the scenarios' files, mounted once for all of them.
struct BackingFolders {
    std::string base; ///< a tmpfs
    Templates templates;
    bool has_ext4{}, has_overlay{}; ///< true if this kernel mounts them
    [[nodiscard]] std::string folder_of(Backing backing) const;
    /// The upper layer's folder of the overlay.
    [[nodiscard]] std::string upper() const { return base + "/upper"; }
};
/// Needs a private mount namespace. Throws std::runtime_error.
[[nodiscard]] BackingFolders make_backing_folders(const std::string& base);

struct File {
    std::string name;                         ///< for display
    Descriptor handle{-1};                    ///< O_PATH; of the upper layer's file on an overlay
    std::vector<std::pair<dev_t, ino_t>> ids; ///< ids of the file on each of its file systems
    std::uint64_t size{};
    std::vector<Content> contents;
    Blocks seen; ///< contents at the last check
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
    /// Every initial path of a file or device: plain names, links, hard links, other layers.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Present paths of this file.
    [[nodiscard]] std::vector<std::string> names_of(int file) const;
    /// The plain names, which are exchanged with each other.
    [[nodiscard]] const std::vector<std::string>& plain_names() const { return plain_; }
    /// Index of the file that a path names at this moment, -1 if it is no file of the scenario.
    [[nodiscard]] int file_at(const std::string& path) const;
    [[nodiscard]] int file_of(dev_t device, ino_t inode) const;
    /// A new path for a mount point or a node.
    [[nodiscard]] std::string fresh_path(const std::string& kind);
    /// Two folders on the path of a name: one is exchanged for a link to the other.
    [[nodiscard]] std::string main_folder() const { return folder_ + "/d"; }
    [[nodiscard]] std::string second_folder() const { return folder_ + "/e"; }
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
