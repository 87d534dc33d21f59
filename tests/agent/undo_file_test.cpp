// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/undo_file.hpp"

#include <linux/magic.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::agent;

namespace {

std::vector<std::byte> bytes_of(std::size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

/// Writes beyond this size of a file fail, as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : ignored_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, ignored_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
    sighandler_t ignored_;
};

} // namespace

TEST_CASE("an undo file is made with its first batch, and removed with its empty folder") {
    const tests::Scratch scratch{"/var/tmp"};
    const auto folder = scratch / "a" / "undo";
    const auto undo = undo_file(folder, "usb-1-1048576");
    CHECK_FALSE(has_undo_file(folder, "usb-1-1048576"));
    REQUIRE(reason(undo->append(bytes_of(512, 1))) == "success");
    CHECK(has_undo_file(folder, "usb-1-1048576"));
    REQUIRE(reason(undo->append(bytes_of(1024, 2))) == "success");
    auto content = undo->contents();
    REQUIRE(content);
    REQUIRE(content->size() == 1536);
    CHECK((*content)[511] == std::byte{1});
    CHECK((*content)[512] == std::byte{2});

    REQUIRE(reason(undo->shorten(512)) == "success");
    REQUIRE(reason(undo->append(bytes_of(512, 3))) == "success");
    content = undo->contents();
    REQUIRE(content);
    CHECK(content->size() == 1024);
    CHECK((*content)[512] == std::byte{3});

    REQUIRE(reason(undo->remove()) == "success");
    CHECK_FALSE(has_undo_file(folder, "usb-1-1048576"));
    CHECK_FALSE(std::filesystem::exists(folder));
    CHECK(reason(undo->remove()) == "success");
}

TEST_CASE("a second check does not replace the undo file of a medium") {
    const tests::Scratch scratch{"/var/tmp"};
    const auto first = undo_file(scratch / "undo", "usb-1-512"), second = undo_file(scratch / "undo", "usb-1-512");
    REQUIRE(reason(first->append(bytes_of(512, 1))) == "success");
    const auto refused = second->append(bytes_of(512, 2));
    CHECK(refused.error().code == Errc::refused);
    CHECK_THAT(reason(refused), ContainsSubstring("contains data of an interrupted check"));
    const auto content = first->contents();
    REQUIRE(content);
    CHECK((*content)[0] == std::byte{1});
    REQUIRE(reason(first->append(bytes_of(512, 3))) == "success");
    CHECK(first->contents()->size() == 1024);
}

TEST_CASE("an unfinished undo file of a killed process is not a file of an interrupted check") {
    const tests::Scratch scratch{"/var/tmp"};
    const auto undo = undo_file(scratch / "undo", "usb-1-512");
    REQUIRE(reason(undo->append(bytes_of(512, 1))) == "success");
    REQUIRE(::rename((scratch / "undo" / "usb-1-512.undo").c_str(),
                     (scratch / "undo" / "usb-1-512.undo.new").c_str()) == 0);
    CHECK_FALSE(has_undo_file(scratch / "undo", "usb-1-512"));
    const auto again = undo_file(scratch / "undo", "usb-1-512");
    CHECK(reason(again->append(bytes_of(512, 2))) == "success");
    CHECK(again->contents()->size() == 512);
}

TEST_CASE("a full disk fails an append and keeps the durable content") {
    const tests::Scratch scratch{"/var/tmp"};
    const auto undo = undo_file(scratch / "undo", "usb-1-512"), other = undo_file(scratch / "undo", "usb-2-512");
    REQUIRE(reason(undo->append(bytes_of(512, 1))) == "success");
    {
        const FileSizeLimit limit(1024);
        const auto full = undo->append(bytes_of(4096, 2));
        REQUIRE_FALSE(full);
        CHECK(full.error().code == Errc::host_fault);
        CHECK_THAT(reason(full), ContainsSubstring("cannot write the undo file"));
        CHECK_FALSE(other->append(bytes_of(4096, 2)));
    }
    CHECK_FALSE(has_undo_file(scratch / "undo", "usb-2-512"));
    const auto content = undo->contents();
    REQUIRE(content);
    CHECK(content->size() >= 512);
    CHECK((*content)[511] == std::byte{1});
}

TEST_CASE("an undo folder in memory is refused") {
    struct statfs kind {};
    if (::statfs("/dev/shm", &kind) != 0 || kind.f_type != TMPFS_MAGIC) MEDIARIG_SKIP("/dev/shm is not in memory");
    const tests::Scratch scratch{"/dev/shm"};
    const auto refused = undo_file(scratch / "undo", "usb-1-512")->append(bytes_of(512, 1));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::host_fault);
    CHECK_THAT(reason(refused), ContainsSubstring("is in memory, which a power failure erases"));
    CHECK_FALSE(has_undo_file(scratch / "undo", "usb-1-512"));
}

TEST_CASE("the undo files for a size are found, because a medium has another key in another reader") {
    const tests::Scratch scratch{"/var/tmp"};
    for (const char* key : {"usb-2-1048576", "usb-1-1048576", "usb-1-10485760", "usb-3-048576"})
        REQUIRE(reason(undo_file(scratch / "undo", key)->append(bytes_of(512, 1))) == "success");
    CHECK(undo_keys(scratch / "undo", 1_MiB) == std::vector<std::string>{"usb-1-1048576", "usb-2-1048576"});
    CHECK(undo_keys(scratch / "none", 1_MiB).empty());
}

TEST_CASE("without a folder no undo file is made") {
    const auto refused = undo_file({}, "usb-1-512")->append(bytes_of(512, 1));
    CHECK_THAT(reason(refused), ContainsSubstring("set MEDIARIG_UNDO_DIR"));
}
