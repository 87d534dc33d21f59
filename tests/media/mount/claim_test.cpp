// SPDX-License-Identifier: GPL-3.0-or-later
/// A claim releases its medium for a mount and holds the medium again afterwards.
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "host/media/claim/linux/linux_media.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/media/mount/mounting_exfat.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

using Clock = std::chrono::steady_clock;

/// A real device that reports its release.
class WatchedNode final : public OpenNode {
public:
    WatchedNode(std::unique_ptr<OpenNode> node, std::function<void()> told, const std::optional<Error>& not_held)
        : node_(std::move(node)), told_(std::move(told)), not_held_(not_held) {}
    int descriptor() const override { return node_->descriptor(); }
    int held_descriptor() const override { return node_->held_descriptor(); }
    Result<NodeFacts> facts() override { return node_->facts(); }
    Result<void> hold() override {
        if (not_held_) return fail(*not_held_);
        return node_->hold();
    }
    Result<void> release() override {
        told_();
        return node_->release();
    }
    Result<void> check_no_writer(Use use) override { return node_->check_no_writer(use); }
    Result<SignatureScan> signatures() override { return node_->signatures(); }

private:
    std::unique_ptr<OpenNode> node_;
    std::function<void()> told_;
    const std::optional<Error>& not_held_;
};

class WatchedNodes final : public Nodes {
public:
    Result<std::unique_ptr<OpenNode>> open(const std::string& node) override {
        auto opened = real_->open(node);
        if (!opened) return fail(opened.error());
        return std::make_unique<WatchedNode>(
            std::move(*opened), [this] { on_release(); }, not_held);
    }
    std::function<void()> on_release;
    std::optional<Error> not_held; ///< reason why the device is no longer held

private:
    std::unique_ptr<Nodes> real_{make_linux_nodes()};
};

} // namespace

TEST_CASE("the claim releases its medium just before the driver starts") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    medium.release();
    const auto real = process::find_program("mount.exfat-fuse");
    REQUIRE(reason(real) == "success");
    ToolFolder tools;
    tools.add("mount.exfat-fuse", "[ \"$1\" = -V ] && { sleep 0.5; echo 1.3.0; exit 0; }\nexec " + *real + " \"$@\"");

    WatchedNodes nodes;
    auto claim = claim_erasable(medium.discovery(), nodes, medium.node(), medium.image());
    REQUIRE(reason(claim) == "success");
    Clock::time_point release;
    std::size_t folders = 0;
    nodes.on_release = [&] {
        if (release != Clock::time_point{}) return;
        release = Clock::now();
        folders = run_folders(std::to_string(::getpid())).size();
    };
    const auto mounter = make_linux_mounter({.search_path = tools.search_path(), .kernel_file_systems = "/dev/null"});
    const auto begun = Clock::now();
    const auto mounted = mounter->mount(*claim, FileSystem::exfat, whole_of(*claim));
    REQUIRE(reason(mounted) == "success");
    // At this moment the driver has printed its version, which takes half a second, and the mount point exists.
    CHECK(release - begun >= std::chrono::milliseconds(500));
    CHECK(folders == 1);
    std::cout << "the device was free for at most "
              << std::chrono::duration<double, std::milli>(Clock::now() - release).count()
              << " ms before the driver opened it\n";
    CHECK(claim->descriptor() == -1);
    nodes.on_release = [] {};
    CHECK(reason((*mounted)->unmount()) == "success");
    CHECK(claim->descriptor() >= 0);
}

TEST_CASE("a medium that becomes write-protected while its volume is mounted is released at once with the reason") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    medium.release();
    WatchedNodes nodes;
    nodes.on_release = [] {};
    auto claim = claim_erasable(medium.discovery(), nodes, medium.node(), medium.image());
    REQUIRE(reason(claim) == "success");
    const auto mounter = make_linux_mounter({.kernel_file_systems = "/dev/null"});
    const auto mounted = mounter->mount(*claim, FileSystem::exfat, whole_of(*claim));
    REQUIRE(reason(mounted) == "success");
    CHECK((*mounted)->is_attached());
    CHECK_FALSE((*mounted)->is_released());
    nodes.not_held = Error{Errc::refused, "slide the write-protect switch"};
    const auto begun = Clock::now();
    CHECK(reason((*mounted)->unmount()) == "slide the write-protect switch");
    // If unmount() waited for a driver to release the medium, it would take longer than this.
    CHECK(Clock::now() - begun < std::chrono::seconds(60));
    CHECK_FALSE((*mounted)->is_attached());
    CHECK((*mounted)->is_released());
    CHECK(reason((*mounted)->unmount()) == "success");
}

TEST_CASE("a medium without a driver stays claimed") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    LoopMedium medium(64_MiB);
    WatchedNodes nodes;
    auto claim = claim_erasable(medium.discovery(), nodes, medium.node(), medium.image());
    REQUIRE(reason(claim) == "success");
    bool release = false;
    nodes.on_release = [&] { release = true; };
    const auto mounter = make_linux_mounter({.search_path = "/nowhere", .kernel_file_systems = "/dev/null"});
    CHECK(mounter->mount(*claim, FileSystem::exfat, whole_of(*claim)).error().code == Errc::no_driver);
    CHECK_FALSE(release);
}

TEST_CASE("writes through a claim reach the file below after the claim has released the device") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    LoopMedium medium(64_MiB);
    const std::string text = "written through the claim";
    const auto stored = [&] {
        std::ifstream image(medium.image(), std::ios::binary);
        image.seekg(static_cast<std::streamoff>(Bytes{5_MiB}.count));
        std::string bytes(text.size(), '\0');
        image.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return bytes;
    };
    ErasableMedium& claim = medium.claim();
    REQUIRE(::pwrite(claim.descriptor(), text.data(), text.size(), static_cast<off_t>(Bytes{5_MiB}.count)) ==
            static_cast<ssize_t>(text.size()));
    CHECK(stored() != text); // the text is still in the cache of the device
    REQUIRE(reason(claim.release()) == "success");
    CHECK(stored() == text);
}
