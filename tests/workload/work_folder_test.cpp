// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/work_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/io/work_names.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace fs = std::filesystem;

namespace {

constexpr uid_t nobody = 65534;

/// A target with an open directory, as in a job.
struct OpenTarget {
    explicit OpenTarget(const std::string& path) : target(tests::directory(path)) {
        auto opened = open_directory(path);
        REQUIRE(reason(opened) == "success");
        directory = std::move(*opened);
        target.directory_fd = directory.get();
    }
    JobTarget target;
    Descriptor directory;
};

void put(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

/// Everything below a folder: names, kinds, contents and modification times.
std::map<std::string, std::string> contents_of(const std::string& folder) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        struct stat info {};
        REQUIRE(::lstat(entry.path().c_str(), &info) == 0);
        std::string text = std::to_string(info.st_mode) + " " + std::to_string(info.st_ino);
        if (S_ISREG(info.st_mode)) {
            std::ifstream in(entry.path());
            text += " " + std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + " " +
                    std::string(std::istreambuf_iterator<char>(in), {});
        }
        found[entry.path().string().substr(folder.size())] = text;
    }
    return found;
}

std::vector<std::string> left_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// A process of another user who may write in a folder: replaces entries with the name of a work folder by links, by a
/// folder of root and by a folder of that user, and moves some away.
class Swapper {
public:
    Swapper(const std::string& folder, const std::string& away) : child_(::fork()) {
        if (child_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // never outlives a killed test
        if (::setgid(nobody) != 0 || ::setuid(nobody) != 0 || ::chdir(folder.c_str()) != 0) ::_exit(1);
        for (unsigned turn = 0;; ++turn) exchange_all(turn, away);
    }
    ~Swapper() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    Swapper(const Swapper&) = delete;
    Swapper& operator=(const Swapper&) = delete;
    [[nodiscard]] bool started() const { return child_ > 0; }

private:
    static void exchange_all(unsigned turn, const std::string& away) {
        static const char* const decoys[] = {"link", "root", "own", "link"};
        DIR* const here = ::opendir(".");
        if (!here) ::_exit(1);
        while (const dirent* const entry = ::readdir(here)) {
            if (!std::string_view(entry->d_name).starts_with(WorkFolder::prefix)) continue;
            const char* const decoy = decoys[turn++ % 4];
            if (turn % 7 == 0) {
                const std::string lost = away + "/" + std::to_string(turn);
                (void)::syscall(SYS_renameat2, AT_FDCWD, entry->d_name, AT_FDCWD, lost.c_str(), 0);
                continue;
            }
            (void)::syscall(SYS_renameat2, AT_FDCWD, entry->d_name, AT_FDCWD, decoy, RENAME_EXCHANGE);
            if (turn % 3 != 0)
                (void)::syscall(SYS_renameat2, AT_FDCWD, entry->d_name, AT_FDCWD, decoy, RENAME_EXCHANGE);
        }
        ::closedir(here);
    }

    pid_t child_;
};

/// Runs `work` with the identity of another user on a separate thread, as an agent does for its caller: by raw system
/// calls, since those of the C library change all threads.
enum class Identity : std::uint8_t { whole, of_files };
void as_nobody(Identity identity, const std::function<void()>& work) {
    std::thread([&] {
        REQUIRE(::syscall(SYS_setgroups, 0, nullptr) == 0);
        if (identity == Identity::whole) {
            REQUIRE(::syscall(SYS_setresgid, nobody, nobody, nobody) == 0);
            REQUIRE(::syscall(SYS_setresuid, nobody, nobody, nobody) == 0);
        } else {
            ::syscall(SYS_setfsgid, nobody);
            ::syscall(SYS_setfsuid, nobody);
        }
        work();
    }).join();
}

} // namespace

TEST_CASE("jobs of root change no foreign files while another user replaces their work folders") {
    if (!are_root()) MEDIARIG_SKIP("only root has anything to lose here");
    constexpr int rounds = 4000;
    Folder victim, parent;
    for (const char* name : {"span.bin", "piece-0.bin", "secret"}) put(victim.path(name), "not yours");
    REQUIRE(::mkdir(parent.path("root").c_str(), 0700) == 0);
    put(parent.path("root/span.bin"), "root's own");
    put(parent.path("root/letter.txt"), "root's own");
    REQUIRE(::symlink(victim.path().c_str(), parent.path("link").c_str()) == 0);
    REQUIRE(::mkdir(parent.path("own").c_str(), 0755) == 0);
    put(parent.path("own/piece-1.bin"), "the other user's");
    Folder away;
    for (const std::string& path : std::vector<std::string>{parent.path(), parent.path("own"), away.path()})
        REQUIRE(::chown(path.c_str(), nobody, nobody) == 0);
    REQUIRE(::chmod(victim.path().c_str(), 0755) == 0);
    const auto victims = contents_of(victim.path());
    struct stat roots {
    }, own{};
    REQUIRE(::stat(parent.path("root").c_str(), &roots) == 0);
    REQUIRE(::stat(parent.path("own").c_str(), &own) == 0);

    OpenTarget open(parent.path());
    int round = 0, made = 0, files = 0, lost = 0;
    {
        Swapper swapper(parent.path(), away.path());
        REQUIRE(swapper.started());
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        for (; round < rounds && std::chrono::steady_clock::now() < end; ++round) {
            auto folder = LinuxWorkFolder::create(open.target);
            if (!folder) continue;
            ++made;
            if (round % 8 == 0) ::usleep(200); // gives the other process time if both share a processor
            for (const std::string& name : {std::string(span_file), piece_file(0)}) {
                auto file = LinuxMediumFile::create(folder->descriptor(), name, CachePolicy::cached, SyncLevel::none);
                REQUIRE(reason(file) == "success");
                ++files;
            }
            lost += !folder->remove();
        }
    }
    std::cout << "work folders made " << made << " of " << round << ", files " << files << ", lost names " << lost
              << '\n';
    CHECK(made > round / 2);
    CHECK(lost > 0); // otherwise the other process replaced no folder
    CHECK(contents_of(victim.path()) == victims);
    // The folders of root and of the other user are unchanged under any present name.
    int found = 0;
    for (const fs::path& place : {parent.path(), away.path()})
        for (const auto& entry : fs::directory_iterator(place)) {
            struct stat info {};
            REQUIRE(::lstat(entry.path().c_str(), &info) == 0);
            if (!S_ISDIR(info.st_mode)) continue;
            const bool is_root = info.st_ino == roots.st_ino, is_own = info.st_ino == own.st_ino;
            found += is_root + is_own;
            CHECK(left_in(entry.path()) == (is_root  ? std::vector<std::string>{"letter.txt", "span.bin"}
                                            : is_own ? std::vector<std::string>{"piece-1.bin"}
                                                     : std::vector<std::string>{}));
        }
    CHECK(found == 2);
}

TEST_CASE("folders that only resemble work folders of a killed job are kept") {
    Folder folder, victim;
    put(victim.path("span.bin"), "not yours");
    const auto victims = contents_of(victim.path());
    const auto plant = [&](const std::string& id, mode_t mode) {
        const std::string path = folder.path(WorkFolder::prefix + id);
        REQUIRE(::mkdir(path.c_str(), 0700) == 0);
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        return path;
    };
    REQUIRE(::symlink(victim.path().c_str(), folder.path("mediarig-work-link").c_str()) == 0);
    put(folder.path("mediarig-work-file"), "a file");
    put(plant("photos", 0700) + "/holiday.jpg", "another name");
    put(plant("number", 0700) + "/piece-1x.bin", "another name");
    put(plant("open", 0755) + "/span.bin", "jobs make no folder that others may read");
    fs::create_directories(plant("deep", 0700) + "/span.bin/folder");
    REQUIRE(::symlink(victim.path("span.bin").c_str(), (plant("leads", 0700) + "/span.bin").c_str()) == 0);
    REQUIRE(::mkfifo((plant("pipe", 0700) + "/span.bin").c_str(), 0600) == 0);
    if (are_root()) {
        const std::string foreign = plant("foreign", 0700);
        put(foreign + "/span.bin", "another user's");
        REQUIRE(::chown(foreign.c_str(), nobody, nobody) == 0);
    }
    const auto planted = contents_of(folder.path());
    put(plant("killed", 0700) + "/span.bin", "left behind");
    put(folder.path("mediarig-work-killed/piece-17.bin"), "left behind");

    OpenTarget open(folder.path());
    auto made = LinuxWorkFolder::create(open.target);
    REQUIRE(reason(made) == "success");
    CHECK_FALSE(fs::exists(folder.path("mediarig-work-killed")));
    CHECK(reason(made->remove()) == "success");
    CHECK(contents_of(folder.path()) == planted);
    CHECK(contents_of(victim.path()) == victims);
}

TEST_CASE("a work folder is emptied through its descriptor, and removed only if its name still refers to that folder") {
    Folder folder;
    OpenTarget open(folder.path());
    SECTION("files of other programs in a work folder are kept and reported") {
        auto made = LinuxWorkFolder::create(open.target);
        REQUIRE(made);
        put(made->path() + "/span.bin", "a job's");
        put(made->path() + "/letter.txt", "somebody's");
        CHECK(reason(made->remove()) == "cannot remove " + made->path() +
                                            ": it contains a file or folder that this job did not create; check its "
                                            "contents, then remove the folder");
        CHECK(left_in(made->path()) == std::vector<std::string>{"letter.txt"});
        fs::remove(made->path() + "/letter.txt");
    }
    SECTION("a renamed work folder is emptied under its new name, and the folder under the old name is kept") {
        auto made = LinuxWorkFolder::create(open.target);
        REQUIRE(made);
        auto file = LinuxMediumFile::create(made->descriptor(), "span.bin", CachePolicy::cached, SyncLevel::none);
        REQUIRE(file);
        fs::rename(made->path(), folder.path("elsewhere"));
        fs::create_directory(made->path());
        put(made->path() + "/span.bin", "not yours");
        CHECK(reason(made->remove()) == made->path() +
                                            " was renamed or replaced during the job: its test files are removed, the "
                                            "empty folder may be left under another name");
        CHECK(fs::is_empty(folder.path("elsewhere")));
        CHECK(left_in(made->path()) == std::vector<std::string>{"span.bin"});
    }
    SECTION("a work folder that another process removed counts as removed") {
        auto made = LinuxWorkFolder::create(open.target);
        REQUIRE(made);
        fs::remove(made->path());
        CHECK(reason(made->remove()) == "success");
    }
}

TEST_CASE("test files neither replace existing files nor follow links") {
    Folder folder;
    put(folder.path("victim"), "not yours");
    REQUIRE(::symlink(folder.path("victim").c_str(), folder.path("link").c_str()) == 0);
    OpenTarget open(folder.path());
    const int fd = open.target.directory_fd;
    CHECK(reason(LinuxMediumFile::create(fd, "victim", CachePolicy::direct, SyncLevel::none)) ==
          "cannot open " + folder.path("victim") + ": File exists; see the kernel's log");
    CHECK_FALSE(LinuxMediumFile::create(fd, "link", CachePolicy::direct, SyncLevel::none));
    CHECK(reason(LinuxMediumFile::open_existing(fd, "link", CachePolicy::direct, SyncLevel::none)) ==
          "cannot open " + folder.path("link") + ": Too many levels of symbolic links; see the kernel's log");
    auto made = LinuxMediumFile::create(fd, "new", CachePolicy::cached, SyncLevel::none);
    REQUIRE(made);
    struct stat info {};
    REQUIRE(::fstat(made->fd(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("a job in a directory uses only the rights of the calling thread, with each engine") {
    if (!are_root()) MEDIARIG_SKIP("only root can take another user's identity");
    const Identity identity = GENERATE(Identity::whole, Identity::of_files);
    Folder folder;
    REQUIRE(::chown(folder.path().c_str(), nobody, nobody) == 0);
    Folder roots;
    std::vector<JobSpec> jobs;
    for (const Engine engine : {Engine::psync, Engine::uring})
        for (const CachePolicy cache : {CachePolicy::direct, CachePolicy::dropped}) {
            JobSpec job = sweep_of(
                {cell_of(Access::sequential_write, 64_KiB, 1_MiB), cell_of(Access::random_read, 4_KiB, 1_MiB)}, 1_MiB);
            job.engine = engine;
            job.cache = cache;
            jobs.push_back(job);
        }
    jobs.push_back(verify_of(4_MiB));
    for (const JobSpec& job : jobs) {
        Watcher watcher;
        uid_t owner = 0;
        watcher.when_phase = [&](const std::string& name) {
            if (name == "cleanup")
                for (const auto& entry : fs::directory_iterator(folder.path())) {
                    struct stat info {};
                    if (::stat(entry.path().c_str(), &info) == 0) owner = info.st_uid;
                }
        };
        std::string ended, refused;
        as_nobody(identity, [&] {
            JobControl control;
            ended = reason(run_job(job, tests::directory(folder.path()), {}, control, watcher));
            Watcher unused;
            refused = reason(run_job(job, tests::directory(roots.path()), {}, control, unused));
        });
        CHECK(ended == "success");
        CHECK(owner == nobody);
        // Whether io_uring needs workers depends on the file system, not on the caller.
        for (const auto& finding : watcher.findings) CHECK(finding.kind == measure::FindingKind::engine_punted);
        for (const CellResult& cell : watcher.cells)
            if (!writes(cell.cell.access)) CHECK(cell.evidence.page_cache_dropped);
        CHECK(folder.empty());
        CHECK_THAT(refused, ContainsSubstring("Permission denied"));
        CHECK(roots.empty());
    }
    CHECK(::geteuid() == 0); // the other threads have kept their identity
}

TEST_CASE("links in the path of a directory are followed, and the work folder is created at their target") {
    Folder folder;
    fs::create_directory(folder.path("real"));
    REQUIRE(::symlink("real", folder.path("link").c_str()) == 0);
    OpenTarget open(folder.path("link"));
    auto made = LinuxWorkFolder::create(open.target);
    REQUIRE(made);
    CHECK(left_in(folder.path("real")).size() == 1);
    CHECK(made->path().starts_with(folder.path("link") + "/mediarig-work-"));
}

TEST_CASE("a volume of exfat-fuse, which stores no modes, is tested with a note if other users have access") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto hidden = Mount::of("tmpfs", folder.path("mnt"), "tmpfs"); // makes the private namespace
    if (!hidden) MEDIARIG_SKIP("nothing can be mounted");
    make_file(folder.path("disk"), 64_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    std::string why_not;
    auto served = ServedExfat::on(*loop, folder.path("mnt/exfat"), why_not);
    if (!served) MEDIARIG_SKIP(why_not);
    JobTarget target = tests::directory(folder.path("mnt/exfat"), &*loop);
    JobControl control;
    Watcher watcher;
    fs::create_directory(folder.path("mnt/exfat/mediarig-work-killed"));
    put(folder.path("mnt/exfat/mediarig-work-killed/piece-0.bin"), "left behind");
    const std::string shared = reason(run_job(verify_of(4_MiB), target, {}, control, watcher));
    const auto after_shared = left_in(folder.path("mnt/exfat"));
    target.own_mount = true;
    fs::create_directory(folder.path("mnt/exfat/mediarig-work-killed"));
    put(folder.path("mnt/exfat/mediarig-work-killed/piece-0.bin"), "left behind");
    const std::string own = reason(run_job(verify_of(4_MiB), target, {}, control, watcher));
    const auto after_own = left_in(folder.path("mnt/exfat"));
    REQUIRE(served->unmount());
    CHECK(shared == "success");
    CHECK(std::ranges::count_if(watcher.findings, [](const measure::Finding& finding) {
              return finding.detail.find("stores no modes") != std::string::npos;
          }) == 1); // not on the mount that only this process can access
    CHECK(after_shared.empty());
    CHECK(own == "success");
    CHECK(after_own.empty());
}

TEST_CASE("a file system without space for a work folder is reported as full") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto mount = Mount::of("tmpfs", folder.path("mnt"), "tmpfs", "nr_inodes=2");
    if (!mount) MEDIARIG_SKIP("no tmpfs can be mounted");
    put(folder.path("mnt/file"), "the last inode");
    JobControl control;
    Watcher watcher;
    CHECK(reason(run_job(verify_of(1_MiB), tests::directory(folder.path("mnt")), {}, control, watcher)) ==
          "cannot create a folder in " + folder.path("mnt") +
              ": No space left on device; free some space or choose a smaller span");
}
