// SPDX-License-Identifier: GPL-3.0-or-later
/// Numbered files and folders through openat2(2), getdents64(2), fstatat(2) and statx(2).
#pragma once

#include <utility>

#include "host/base/descriptor.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

class LinuxFileTree final : public FileTree {
public:
    explicit LinuxFileTree(Descriptor folder) : folder_(std::move(folder)) {}

    [[nodiscard]] int make_folder(const std::string& name) const override;
    [[nodiscard]] OpenedFolder open_folder(const std::string& path) const override;
    [[nodiscard]] OpenedFile create(const std::string& name, SyncLevel sync) const override;
    [[nodiscard]] OpenedFile open(const std::string& name) const override;
    [[nodiscard]] int ask_attributes(const std::string& name) const override;
    [[nodiscard]] int rename(const std::string& from, const std::string& to) const override;
    [[nodiscard]] int remove(const std::string& name) const override;
    [[nodiscard]] int remove_folder(const std::string& name) const override;
    [[nodiscard]] int flush() const override;
    [[nodiscard]] int list(const std::function<bool(const std::string& name)>& each) const override;
    [[nodiscard]] Contents walk() const override;

private:
    Descriptor folder_;
};

} // namespace mediarig::workload
