// SPDX-License-Identifier: GPL-3.0-or-later
/// Loop devices on files of a FUSE server that died or does not respond.
#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "tests/media/claim/image/holders.hpp"

namespace mediarig::media::holders {

namespace {

/// A FUSE file system that shows the files of a folder, and a loop device on one of these files.
class ServedLoop {
public:
    explicit ServedLoop(Folder& folder) : source_(folder.directory("source")), point_(folder.directory("served")) {
        folder.unmount_in_the_end(point_);
        REQUIRE(run("truncate -s 8M " + source_ + "/card.img") == 0);
        server_.emplace("exec bindfs -f -o attr_timeout=0 " + source_ + " " + point_,
                        [&](pid_t) { return fs::exists(point_ + "/card.img"); });
        if (server_->is_ready()) loop_.emplace(attached(point_ + "/card.img"));
    }
    ServedLoop(const ServedLoop&) = delete;
    ServedLoop& operator=(const ServedLoop&) = delete;
    ~ServedLoop() {
        server_.reset();
        loop_.reset();
    }
    [[nodiscard]] bool is_there() const { return loop_.has_value(); }
    [[nodiscard]] const LoopAttachment& loop() const { return *loop_; }
    void server_dies() {
        server_->send(SIGKILL);
        // The kernel ends the connection when the last descriptor of the server is closed.
        for (int i = 0; i < 2000 && ::access((point_ + "/card.img").c_str(), F_OK) == 0; ++i) ::usleep(1000);
    }
    void server_hangs() { server_->send(SIGSTOP); }
    [[nodiscard]] std::string image_of_source() const { return source_ + "/card.img"; }
    [[nodiscard]] std::string point() const { return point_; }

private:
    std::string source_, point_;
    std::optional<Program> server_;
    std::optional<LoopAttachment> loop_;
};

} // namespace

TEST_CASE("a loop device on a file of a dead FUSE server is refused and causes no refusal of other media") {
    NEEDS_ROOT();
    if (run("bindfs --version") != 0) MEDIARIG_SKIP("bindfs is not installed");
    for (const bool unmounted : {false, true}) {
        CAPTURE(unmounted);
        Folder folder;
        const std::string image = folder.file("other.img");
        const auto other = attached(folder.file("attached.img"));
        ServedLoop served(folder);
        if (!served.is_there()) MEDIARIG_SKIP("FUSE is not available");
        served.server_dies();
        if (unmounted) REQUIRE(::umount2(served.point().c_str(), MNT_DETACH) == 0);
        CHECK(said(refusals_of(image)).empty());
        CHECK(said(refusals_of(other.node())).empty());
        CHECK(said(refusals_of(served.image_of_source())).empty());
        CHECK_THAT(said(refusals_of(served.loop().node())),
                   ContainsSubstring("unknown_state: the range of " + name_of_loop(served.loop()) + " is unknown: ") &&
                       ContainsSubstring("detach it (losetup -d " + served.loop().node() + "), then try again"));
    }
}

TEST_CASE("a loop device on a file of a FUSE server that does not respond delays each call for a limited time") {
    NEEDS_ROOT();
    if (run("bindfs --version") != 0) MEDIARIG_SKIP("bindfs is not installed");
    Folder folder;
    const std::string image = folder.file("other.img");
    const auto other = attached(folder.file("attached.img"));
    ServedLoop served(folder);
    if (!served.is_there()) MEDIARIG_SKIP("FUSE is not available");
    served.server_hangs();
    CHECK(said(refusals_of(image)).empty());
    CHECK(said(refusals_of(other.node())).empty());
    CHECK_THAT(said(refusals_of(served.loop().node())),
               ContainsSubstring("unknown_state: the range of " + name_of_loop(served.loop()) + " is unknown: "));
}

TEST_CASE("a call to a path or device whose server is stopped fails in time, and a missing path is not an error") {
    NEEDS_ROOT();
    CHECK(check_path_responds("/no/such/file"));
    CHECK(check_device_responds("/no/such/device"));
    if (run("bindfs --version") != 0) MEDIARIG_SKIP("bindfs is not installed");
    Folder folder;
    const auto other = attached(folder.file("attached.img"));
    ServedLoop served(folder);
    if (!served.is_there()) MEDIARIG_SKIP("FUSE is not available");
    CHECK(check_device_responds(served.loop().node()));
    CHECK(check_path_responds(served.point() + "/card.img"));
    served.server_hangs();
    CHECK_THAT(reason(check_device_responds(served.loop().node())),
               ContainsSubstring(served.loop().node() + " does not respond to a read: "));
    CHECK_THAT(reason(check_path_responds(served.point() + "/other")),
               ContainsSubstring(served.point() + "/other does not respond: "));
    CHECK(check_device_responds(other.node()));
    CHECK(check_path_responds(folder.path("attached.img")));
}

TEST_CASE("a loop device whose server died may show any file on the same type of file system") {
    NEEDS_ROOT();
    if (run("bindfs --version") != 0) MEDIARIG_SKIP("bindfs is not installed");
    Folder folder;
    ServedLoop dead(folder);
    Folder second;
    const ServedLoop alive(second);
    if (!dead.is_there() || !alive.is_there()) MEDIARIG_SKIP("FUSE is not available");
    dead.server_dies();
    CHECK_THAT(said(refusals_of(alive.point() + "/card.img")),
               ContainsSubstring("the range of " + name_of_loop(dead.loop()) + " is unknown: "));
}

} // namespace mediarig::media::holders
