// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/blog.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

#include "common/split_mix.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/io/work_names.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

/// Sizes of the files, and the sizes of the requests that wrote and read them.
struct Disk {
    std::map<std::string, std::uint64_t> sizes;
    std::vector<std::size_t> written, read;
};

class KeptFile final : public MediumFile {
public:
    KeptFile(Disk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
    int fd() const override { return -1; }
    CachePolicy used() const override { return CachePolicy::cached; }
    bool direct_refused() const override { return false; }
    Result<void> disable_direct() override { return {}; }
    Result<Bytes> size() const override { return Bytes{disk_.sizes.at(path_)}; }
    bool served_by_user_space() const override { return false; }
    TransferResult write(std::span<const std::byte> bytes, std::uint64_t offset) override {
        disk_.written.push_back(bytes.size());
        disk_.sizes.at(path_) = offset + bytes.size();
        return {bytes.size(), 0};
    }
    TransferResult read(std::span<std::byte> bytes, std::uint64_t offset) override {
        disk_.read.push_back(bytes.size());
        return {std::min<std::uint64_t>(bytes.size(), disk_.sizes.at(path_) - offset), 0};
    }
    int flush() const override { return 0; }
    CacheDrop drop_cache(Bytes) const override { return {}; }
    void expect_random() const override {}
    int forget(std::uint64_t, Bytes) const override { return 0; }

private:
    Disk& disk_;
    std::string path_;
};

class KeptTree final : public FileTree {
public:
    explicit KeptTree(Disk& disk, std::string at = {}) : disk_(disk), at_(std::move(at)) {}
    int make_folder(const std::string&) const override { return 0; }
    OpenedFolder open_folder(const std::string& path) const override {
        return {std::make_unique<KeptTree>(disk_, path + "/"), 0};
    }
    OpenedFile create(const std::string& name, SyncLevel) const override {
        disk_.sizes[at_ + name] = 0;
        return {std::make_unique<KeptFile>(disk_, at_ + name), 0};
    }
    OpenedFile open(const std::string& name) const override {
        if (!disk_.sizes.contains(at_ + name)) return {nullptr, ENOENT};
        return {std::make_unique<KeptFile>(disk_, at_ + name), 0};
    }
    int ask_attributes(const std::string&) const override { return 0; }
    int rename(const std::string& from, const std::string& to) const override {
        disk_.sizes[at_ + to] = disk_.sizes.at(at_ + from);
        return remove(from);
    }
    int remove(const std::string& name) const override { return disk_.sizes.erase(at_ + name) == 1 ? 0 : ENOENT; }
    int remove_folder(const std::string&) const override { return 0; }
    int flush() const override { return 0; }
    int list(const std::function<bool(const std::string&)>&) const override { return 0; }
    Contents walk() const override { return {}; }

private:
    Disk& disk_;
    std::string at_;
};

struct People {
    Disk disk;
    KeptTree root{disk};
    JobSpec job;
    TickClock clock = TickClock::monotonic();
    IoErrors errors{OnIoError::stop, LossTest([] { return false; })};
    JobControl control;
    SplitMix random{1};
    std::unique_ptr<Blogs> blogs;

    People() {
        job.kind = BlogJob{.space = 1_GiB};
        blogs = std::make_unique<Blogs>(job, root, clock, errors, control);
        for (int blog = 0; blog < 3; ++blog) REQUIRE(blogs->write_blog(random));
    }
    [[nodiscard]] std::uint64_t written(BlogPart part) const {
        return blogs->counts().written[static_cast<std::size_t>(part)].files;
    }
};

} // namespace

TEST_CASE("blogs: written files have the sizes of Blogbench and are written in requests of 8 KiB") {
    People people;
    for (int turn = 0; turn < 5; ++turn) REQUIRE(people.blogs->comment(people.random));
    const std::pair<Bytes, Bytes> sizes[] = {{1_KiB, 32_KiB}, {8_KiB, 64_KiB}, {2_KiB, 10_KiB}};
    std::size_t known = 0;
    for (std::uint64_t part = 0; part < 3; ++part)
        for (std::uint64_t number = 1; number <= 100; ++number)
            for (std::uint64_t blog = 0; blog < 3; ++blog) {
                const auto file = people.disk.sizes.find(folder_name(blog) + "/" + piece_file(part * 1000 + number));
                if (file == people.disk.sizes.end()) continue;
                ++known;
                CHECK(file->second >= sizes[part].first.count);
                CHECK(file->second < sizes[part].second.count);
            }
    CHECK(known == people.disk.sizes.size());
    const auto whole = std::ranges::count(people.disk.written, (8_KiB).count);
    CHECK(std::ranges::max(people.disk.written) == (8_KiB).count);
    // Only the last request of each file may be smaller.
    const std::uint64_t files =
        people.written(BlogPart::articles) + people.written(BlogPart::pictures) + people.written(BlogPart::comments);
    CHECK(people.disk.written.size() - static_cast<std::size_t>(whole) <= files);
}

TEST_CASE("blogs: each file is read with one request of 64 KiB") {
    People people;
    REQUIRE(people.blogs->read_blog(people.random));
    REQUIRE(people.disk.read.size() > 10);
    CHECK(std::ranges::count(people.disk.read, (64_KiB).count) == static_cast<std::ptrdiff_t>(people.disk.read.size()));
}

TEST_CASE("blogs: a rewriter replaces an article each time and a picture every second time") {
    People people;
    const std::uint64_t articles = people.written(BlogPart::articles), pictures = people.written(BlogPart::pictures);
    for (int turn = 0; turn < 400; ++turn) REQUIRE(people.blogs->rewrite(people.random));
    CHECK(people.written(BlogPart::articles) == articles + 400);
    CHECK(people.written(BlogPart::pictures) > pictures + 150);
    CHECK(people.written(BlogPart::pictures) < pictures + 250);
}
