// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/disk_farm.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mediarig::media::scenarios {
namespace {

class FakeOpenNode final : public OpenNode {
public:
    explicit FakeOpenNode(std::shared_ptr<PhysicalDisk> disk)
        : disk_(std::move(disk)), fd_(::fcntl(disk_->content(), F_DUPFD_CLOEXEC, 0)) {}
    FakeOpenNode(const FakeOpenNode&) = delete;
    FakeOpenNode& operator=(const FakeOpenNode&) = delete;
    ~FakeOpenNode() override {
        (void)FakeOpenNode::release();
        ::close(fd_);
    }

    int descriptor() const override { return fd_; }
    int held_descriptor() const override { return held_ ? fd_ : -1; }
    Result<NodeFacts> facts() override {
        if (!disk_->plugged_in) return fail(Errc::no_medium, disk_->label + " no longer responds");
        return disk_->facts;
    }
    Result<void> hold() override {
        if (!held_ && !disk_->exclusive_holder.empty())
            return fail(Errc::refused, disk_->label + " is held exclusively by " + disk_->exclusive_holder);
        held_ = true;
        disk_->exclusive_holder = "a claim";
        return {};
    }
    Result<void> check_no_writer(Use use) override {
        if (!disk_->writer.empty()) return fail(Errc::refused, disk_->writer);
        if (!disk_->unseen_writer.empty() && use == Use::must_be_known)
            return fail(Errc::refused, disk_->unseen_writer);
        return {};
    }
    Result<void> release() override {
        if (std::exchange(held_, false)) disk_->exclusive_holder.clear();
        return {};
    }
    Result<SignatureScan> signatures() override {
        if (disk_->unreadable) return fail(Errc::io_failed, "reading signatures at byte 0 failed");
        return SignatureScan{.found = disk_->signatures, .unreadable = disk_->unreadable_ranges};
    }

private:
    std::shared_ptr<PhysicalDisk> disk_;
    int fd_;
    bool held_{};
};

void run_once(std::function<void()>& hook) {
    if (const auto now = std::exchange(hook, nullptr)) now();
}

} // namespace

PhysicalDisk::PhysicalDisk(std::string called)
    : label(std::move(called)), content_(::memfd_create("disk", MFD_CLOEXEC)) {}
PhysicalDisk::~PhysicalDisk() {
    ::close(content_);
}

std::uint64_t PhysicalDisk::bytes_written() const {
    std::uint64_t changed = 0;
    std::array<char, 65536> chunk{};
    off_t at = 0;
    ssize_t got = 0;
    while ((got = ::pread(content_, chunk.data(), chunk.size(), at)) > 0) {
        changed += static_cast<std::uint64_t>(got - std::count(chunk.begin(), chunk.begin() + got, '\0'));
        at += got;
    }
    return changed;
}

void DiskFarm::plug_in(const std::string& node, const std::shared_ptr<PhysicalDisk>& disk) {
    disk->plugged_in = true;
    nodes_[node] = disk;
    if (std::find(all_.begin(), all_.end(), disk) == all_.end()) all_.push_back(disk);
}

void DiskFarm::unplug(const std::string& node) {
    at(node).plugged_in = false;
    nodes_.erase(node);
}

std::vector<std::string> DiskFarm::written() const {
    std::vector<std::string> found;
    for (const auto& disk : all_) {
        if (const auto bytes = disk->bytes_written(); bytes > 0)
            found.push_back(disk->label + ": " + std::to_string(bytes) + " bytes");
    }
    return found;
}

Result<std::vector<Signature>> DiskFarm::look(const std::string& node) {
    const auto found = nodes_.find(node);
    if (found == nodes_.end() || found->second->unreadable) return fail(Errc::no_medium, node + " cannot be read");
    return found->second->signatures;
}

Result<std::unique_ptr<OpenNode>> DiskFarm::open(const std::string& node) {
    run_once(before_open);
    const auto found = nodes_.find(node);
    if (found == nodes_.end()) return fail(Errc::no_medium, node + " cannot be opened: no such device");
    auto opened = std::make_unique<FakeOpenNode>(found->second);
    run_once(after_open);
    return opened;
}

} // namespace mediarig::media::scenarios
