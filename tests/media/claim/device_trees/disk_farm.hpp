// SPDX-License-Identifier: GPL-3.0-or-later
/// A fake of the port Nodes: physical disks that record every written byte, under any name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/media/claim/node.hpp"

namespace mediarig::media::scenarios {

/// One physical disk with its content in memory. Writes through all of its descriptors change the same content.
class PhysicalDisk {
public:
    explicit PhysicalDisk(std::string called);
    PhysicalDisk(const PhysicalDisk&) = delete;
    PhysicalDisk& operator=(const PhysicalDisk&) = delete;
    ~PhysicalDisk();
    [[nodiscard]] int content() const { return content_; }
    /// Number of bytes that differ from the start of the scenario.
    [[nodiscard]] std::uint64_t bytes_written() const;

    std::string label;
    NodeFacts facts;
    bool plugged_in{true};
    std::string exclusive_holder; ///< holder that has the disk open with O_EXCL, or mounted in an invisible namespace
    std::string writer;           ///< "/dev/sdb2 is open for writing in process 99 (dd)"
    std::string unseen_writer;    ///< reason why a program that writes to the disk may be invisible
    std::vector<Signature> signatures;
    bool unreadable{};                           ///< true if the sectors of the disk cannot be read
    std::vector<DeviceExtent> unreadable_ranges; ///< ranges of signatures that return read errors

private:
    int content_;
};

class DiskFarm final : public Nodes {
public:
    /// Connects the node to this disk. Earlier descriptors stay connected to their disk.
    void plug_in(const std::string& node, const std::shared_ptr<PhysicalDisk>& disk);
    void unplug(const std::string& node);
    [[nodiscard]] PhysicalDisk& at(const std::string& node) { return *nodes_.at(node); }
    /// "label: N bytes" for every disk that was ever plugged in and written.
    [[nodiscard]] std::vector<std::string> written() const;
    [[nodiscard]] Result<std::vector<Signature>> look(const std::string& node);

    [[nodiscard]] Result<std::unique_ptr<OpenNode>> open(const std::string& node) override;

    /// Called once, right before the next open: between identification and opening.
    std::function<void()> before_open;
    /// Called once, right after the next open, before the first use of the descriptor.
    std::function<void()> after_open;

private:
    std::map<std::string, std::shared_ptr<PhysicalDisk>> nodes_;
    std::vector<std::shared_ptr<PhysicalDisk>> all_;
};

} // namespace mediarig::media::scenarios
