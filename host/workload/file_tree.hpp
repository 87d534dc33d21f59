// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a folder with numbered files and folders, within a job's work folder. Each call is a call or two of the system
/// on an open folder; nothing is followed that is a link. May be used by several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/units.hpp"
#include "host/result.hpp"
#include "host/workload/medium_file.hpp"

namespace mediarig::workload {

class FileTree {
public:
    virtual ~FileTree() = default;

    /// The names in such a folder; nothing else is ever removed. Files are called as name_of_file has it.
    [[nodiscard]] static std::string folder_name(std::uint64_t index) { return "folder-" + std::to_string(index); }

    /// Null with an errno, or a folder.
    struct OpenedFolder {
        std::unique_ptr<FileTree> folder;
        int error{};
    };
    /// 0 or an errno.
    [[nodiscard]] virtual int make_folder(const std::string& name) const = 0;
    /// `path`: names of folders with slashes between them.
    [[nodiscard]] virtual OpenedFolder open_folder(const std::string& path) const = 0;

    /// Null with an errno, or a file.
    struct Opened {
        std::unique_ptr<MediumFile> file;
        int error{};
    };
    /// Makes a file that does not exist yet, or opens one, through the page cache.
    [[nodiscard]] virtual Opened create(const std::string& name, SyncLevel sync) const = 0;
    [[nodiscard]] virtual Opened open(const std::string& name) const = 0;

    // These answer 0 or an errno.
    [[nodiscard]] virtual int ask_attributes(const std::string& name) const = 0;
    [[nodiscard]] virtual int rename(const std::string& from, const std::string& to) const = 0;
    [[nodiscard]] virtual int remove(const std::string& name) const = 0;
    [[nodiscard]] virtual int remove_folder(const std::string& name) const = 0;
    /// What was changed in the whole file system is on the medium.
    [[nodiscard]] virtual int flush() const = 0;

    /// Tells the name of each entry, as they lie there; what is told of may be removed meanwhile. Ends where `each`
    /// says false. 0 or an errno.
    [[nodiscard]] virtual int list(const std::function<bool(const std::string& name)>& each) const = 0;

    struct Contents {
        std::uint64_t files{}, folders{};
        Bytes bytes; ///< of the files, as their attributes have it
        int error{}; ///< errno of what could not be read, 0 if all could
        bool operator==(const Contents&) const = default;
    };
    /// Lists it and all folders below it, and asks for the attributes of each entry.
    [[nodiscard]] virtual Contents walk() const = 0;
};

} // namespace mediarig::workload
