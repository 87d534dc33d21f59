// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/cell_user.hpp"

#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <thread>

#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {
namespace {

constexpr int report_descriptor = 100;
constexpr std::size_t mapped_length = 4096;

/// The process keeps the descriptor until it ends.
int open_and_keep(const std::string& path, int flags) {
    return ::open(path.c_str(), flags | O_CLOEXEC);
}

int map_and_close(const std::string& path) {
    const Descriptor file(open_and_keep(path, O_RDWR));
    if (!file) return errno;
    void* const mapped = ::mmap(nullptr, mapped_length, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    return mapped == MAP_FAILED ? errno : 0;
}

int lock_posix(int fd) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return ::fcntl(fd, F_SETLK, &whole) == 0 ? 0 : errno;
}

/// The holder of a lease gets SIGIO when another process opens the file. This holder ignores it, like a stopped
/// program.
int take_lease(const std::string& path) {
    ::signal(SIGIO, SIG_IGN);
    const int fd = open_and_keep(path, O_RDONLY);
    if (fd < 0) return errno;
    return ::fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? 0 : errno;
}

int send_to_nobody(const std::string& path) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    const Descriptor file(open_and_keep(path, O_RDWR));
    if (!file) return errno;
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = file.get();
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return ::sendmsg(ends[0], &message, 0) == 1 ? 0 : errno;
}

int open_in_own_table(const std::string& path) {
    std::promise<int> begun;
    auto result = begun.get_future();
    std::thread([&begun, path] {
        const int error = ::unshare(CLONE_FILES) != 0 || open_and_keep(path, O_RDWR) < 0 ? errno : 0;
        begun.set_value(error);
        while (true) ::pause();
    }).detach();
    return result.get();
}

int register_with_ring(const std::string& path) {
    static struct ::io_uring ring;
    if (const int error = ::io_uring_queue_init(4, &ring, 0); error != 0) return -error;
    const Descriptor file(open_and_keep(path, O_RDWR));
    if (!file) return errno;
    const int fd = file.get();
    return -::io_uring_register_files(&ring, &fd, 1);
}

int run_guest(const std::string& path) {
    const std::string drive = "file=" + path + ",format=raw,if=virtio";
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
    ::execlp("qemu-system-x86_64", "qemu-system-x86_64", "-M", "pc", "-m", "16", "-nodefaults", "-no-user-config",
             "-display", "none", "-S", "-drive", drive.c_str(), nullptr);
    return errno;
}

int mount_as_layer(const CellUse& use) {
    if (const int error = mount_read_only(use.path, use.place, use.file_system); error != 0) return error;
    const std::string other = use.place + "-other", merged = use.place + "-merged";
    for (const std::string& folder : {other, merged})
        if (::mkdir(folder.c_str(), 0700) != 0) return errno;
    const std::string layers = "lowerdir=" + use.place + ":" + other;
    return ::mount("overlay", merged.c_str(), "overlay", MS_RDONLY, layers.c_str()) == 0 ? 0 : errno;
}

int begin(const CellUse& use) {
    const auto opened = [&](int flags) { return open_and_keep(use.path, flags) < 0 ? errno : 0; };
    const auto opened_and = [&](int flags, auto act) {
        const int fd = open_and_keep(use.path, flags);
        return fd < 0 ? errno : act(fd);
    };
    switch (use.activity) {
        case Activity::open_for_reading:
            return opened(O_RDONLY);
        case Activity::open_for_writing:
            return opened(O_RDWR);
        case Activity::held:
            return opened(O_RDONLY | O_EXCL);
        case Activity::mapped:
            return map_and_close(use.path);
        case Activity::ofd_lock:
            return opened_and(O_RDWR, [](int fd) { return lock_range(fd, F_WRLCK, 0, 0); });
        case Activity::posix_lock:
            return opened_and(O_RDWR, lock_posix);
        case Activity::flock:
            return opened_and(O_RDONLY, [](int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; });
        case Activity::lease:
            return take_lease(use.path);
        case Activity::in_flight:
            return send_to_nobody(use.path);
        case Activity::own_table:
            return open_in_own_table(use.path);
        case Activity::io_uring:
            return register_with_ring(use.path);
        case Activity::guest:
            return run_guest(use.path);
        case Activity::mounted:
        case Activity::mounted_directly:
            return mount_read_only(use.path, use.place, use.file_system);
        case Activity::swap:
            return swap_on(use.path);
        case Activity::overlay_layer:
            return mount_as_layer(use);
        default:
            return 0; // no process uses the object
    }
}

[[noreturn]] void be_the_program(const CellUse& use, int report) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The process must not hold the scenario's descriptors.
    ::dup3(report, report_descriptor, O_CLOEXEC);
    ::close_range(0, report_descriptor - 1, 0);
    ::close_range(report_descriptor + 1, ~0U, 0);
    int error = use.elsewhere ? enter_own_namespace(use.base) : 0;
    if (error == 0 && use.enter) error = use.enter();
    if (error == 0) error = begin(use);
    if (::write(report_descriptor, &error, sizeof error) != sizeof error || error != 0) ::_exit(1);
    while (true) ::pause();
}

/// True if the process has opened the object. QEMU opens its disk some 100 ms after its start.
bool has_opened(pid_t process, const std::string& path) {
    struct stat wanted {};
    const std::string root = "/proc/" + std::to_string(process);
    if (::stat((root + "/root" + path).c_str(), &wanted) != 0) return false;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(root + "/fd", gone)) {
        struct stat open {};
        if (::stat(entry.path().c_str(), &open) != 0) continue;
        const bool device = S_ISBLK(wanted.st_mode) && S_ISBLK(open.st_mode) && open.st_rdev == wanted.st_rdev;
        if (device || (open.st_dev == wanted.st_dev && open.st_ino == wanted.st_ino)) return true;
    }
    return false;
}

} // namespace

CellUser::~CellUser() {
    end_child(process_);
}

bool CellUser::stands() const {
    int status = 0;
    return process_ > 0 && ::waitpid(process_, &status, WNOHANG) == 0;
}

int CellUser::start(const CellUse& use) {
    use_ = use;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    process_ = ::fork();
    if (process_ < 0) return errno;
    if (process_ == 0) be_the_program(use, ends[1]);
    ::close(ends[1]);
    int error = 0;
    const bool reported = ::read(ends[0], &error, sizeof error) == sizeof error;
    ::close(ends[0]);
    if (reported || use.activity != Activity::guest) return reported ? error : EIO;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!has_opened(process_, use.path)) {
        if (!stands() || std::chrono::steady_clock::now() > until) return ENOEXEC;
        ::usleep(2000);
    }
    return 0;
}

int CellUser::end(const std::string& own_name) {
    int error = 0;
    if (use_.activity == Activity::swap) error = swap_off(own_name);
    if (!use_.elsewhere && use_.activity == Activity::overlay_layer) error = unmount_at(use_.place + "-merged");
    const bool mounts = use_.activity == Activity::mounted || use_.activity == Activity::mounted_directly ||
                        use_.activity == Activity::overlay_layer;
    if (!use_.elsewhere && mounts && error == 0) error = unmount_at(use_.place);
    end_child(process_);
    process_ = -1;
    return error;
}

} // namespace mediarig::claim_scenarios
