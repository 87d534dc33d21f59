// SPDX-License-Identifier: GPL-3.0-or-later
/// A fake of the port Nodes: physical disks that remember every byte written to them, whatever name led there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/media/claim/node.hpp"

namespace mediarig::media::scenarios {

/// One physical disk. Its content lives in memory; a write through any descriptor of it is a write to this disk.
class PhysicalDisk {
public:
    explicit PhysicalDisk(std::string called);
    PhysicalDisk(const PhysicalDisk&) = delete;
    PhysicalDisk& operator=(const PhysicalDisk&) = delete;
    ~PhysicalDisk();
    [[nodiscard]] int content() const { return content_; }
    /// How many bytes are no longer as they were when the scenario began.
    [[nodiscard]] std::uint64_t bytes_written() const;

    std::string label;
    NodeFacts facts;
    bool plugged_in{true};
    std::string exclusive_holder; ///< process with O_EXCL or with an invisible mount
    std::vector<Signature> signatures;
    bool unreadable{};                    ///< its sectors cannot be read
    std::vector<Range> unreadable_ranges; ///< where signatures are looked for, it answers read errors there

private:
    int content_;
};

class DiskFarm final : public Nodes {
public:
    /// From now on the node leads to this disk; earlier descriptors keep their own.
    void plug_in(const std::string& node, const std::shared_ptr<PhysicalDisk>& disk);
    void unplug(const std::string& node);
    [[nodiscard]] PhysicalDisk& at(const std::string& node) { return *nodes_.at(node); }
    /// "label: N bytes" for every disk that was ever plugged in and has been written to.
    [[nodiscard]] std::vector<std::string> written() const;
    [[nodiscard]] Result<std::vector<Signature>> look(const std::string& node);

    [[nodiscard]] Result<std::unique_ptr<OpenNode>> open(const std::string& node) override;

    /// Runs once, right before the next open: between "identified" and "opened".
    std::function<void()> before_open;
    /// Runs once, right after the next open, before anything is asked of the descriptor.
    std::function<void()> after_open;

private:
    std::map<std::string, std::shared_ptr<PhysicalDisk>> nodes_;
    std::vector<std::shared_ptr<PhysicalDisk>> all_;
};

} // namespace mediarig::media::scenarios
