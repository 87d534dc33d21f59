// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/kernel.hpp"
#include "tests/scratch.hpp"

#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace mediarig::claim_scenarios {
namespace {

int outcome(int result) {
    return result == 0 ? 0 : errno;
}

int configure(int loop, int file, const std::string& name, const LoopSetup& setup) {
    loop_config config{};
    config.fd = static_cast<std::uint32_t>(file);
    config.block_size = setup.sector;
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (setup.read_only) config.info.lo_flags |= LO_FLAGS_READ_ONLY;
    if (setup.direct_io) config.info.lo_flags |= LO_FLAGS_DIRECT_IO;
    if (setup.partition_scan) config.info.lo_flags |= LO_FLAGS_PARTSCAN;
    config.info.lo_offset = setup.offset;
    config.info.lo_sizelimit = setup.length;
    name.copy(reinterpret_cast<char*>(config.info.lo_file_name), LO_NAME_SIZE - 1);
    return outcome(::ioctl(loop, LOOP_CONFIGURE, &config));
}

int partition_call(int disk_fd, int operation, blkpg_partition part) {
    blkpg_ioctl_arg argument{};
    argument.op = operation;
    argument.datalen = sizeof(part);
    argument.data = &part;
    return outcome(::ioctl(disk_fd, BLKPG, &argument));
}

/// Used KiB of the swap areas with one good page.
std::uint64_t swap_in_use() {
    std::istringstream table(tests::text_of("/proc/swaps"));
    std::uint64_t used = 0;
    std::string line, path, type, size, in_use;
    std::getline(table, line);
    while (table >> path >> type >> size >> in_use && std::getline(table, line))
        if (size == "4") used += std::stoull(in_use);
    return used;
}

const char* mount_data(const std::string& type) {
    return type == "ext4" ? "noload" : nullptr;
}

} // namespace

std::string loop_node(int number) {
    return "/dev/loop" + std::to_string(number);
}
std::string partition_node(int loop, int partition) {
    return loop_node(loop) + "p" + std::to_string(partition);
}

int attach_again(int number, const std::string& backing, const LoopSetup& setup, AttachedLoop& loop) {
    const Descriptor file(::open(backing.c_str(), (setup.read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC));
    if (!file) return errno;
    const Descriptor device(::open(loop_node(number).c_str(), O_RDWR | O_EXCL | O_CLOEXEC));
    if (!device) return errno;
    if (const int error = configure(device.get(), file.get(), backing, setup); error != 0) return error;
    loop.number = number;
    // Open the new descriptor before closing the exclusive descriptor: otherwise the kernel detaches the file.
    loop.fd = Descriptor(::open(loop_node(number).c_str(), O_RDONLY | O_CLOEXEC));
    return loop.fd ? 0 : errno;
}

int attach(const std::string& backing, const LoopSetup& setup, AttachedLoop& loop) {
    const Descriptor control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control) return errno;
    int error = EBUSY;
    constexpr int quick_attempts = 64, attempts = 500;
    for (int attempt = 0; attempt < attempts && error == EBUSY; ++attempt) {
        // Another process may hold the free device without attaching a file to it.
        if (attempt >= quick_attempts) ::usleep(5000);
        const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
        if (number < 0) return errno;
        error = attach_again(number, backing, setup, loop);
    }
    return error;
}

int detach(AttachedLoop& loop) {
    delete_partitions(loop.fd.get());
    const int error = outcome(::ioctl(loop.fd.get(), LOOP_CLR_FD));
    loop.fd.close();
    return error;
}

std::optional<loop_info64> status_of(int loop_fd) {
    loop_info64 info{};
    if (::ioctl(loop_fd, LOOP_GET_STATUS64, &info) != 0) return std::nullopt;
    return info;
}

int move_window(int loop_fd, std::uint64_t offset, std::uint64_t length) {
    auto info = status_of(loop_fd);
    if (!info) return errno;
    info->lo_offset = offset;
    info->lo_sizelimit = length;
    return outcome(::ioctl(loop_fd, LOOP_SET_STATUS64, &*info));
}

int set_direct_io(int loop_fd, bool on) {
    return outcome(::ioctl(loop_fd, LOOP_SET_DIRECT_IO, on ? 1UL : 0UL));
}

std::uint64_t size_of_device(int fd) {
    std::uint64_t size = 0;
    return ::ioctl(fd, BLKGETSIZE64, &size) == 0 ? size : 0;
}

int add_partition(int disk_fd, int number, std::uint64_t start, std::uint64_t length) {
    blkpg_partition part{};
    part.pno = number;
    part.start = static_cast<long long>(start);
    part.length = static_cast<long long>(length);
    return partition_call(disk_fd, BLKPG_ADD_PARTITION, part);
}

void delete_partitions(int disk_fd) {
    constexpr int highest_number = 31;
    for (int number = 1; number <= highest_number; ++number) {
        blkpg_partition part{};
        part.pno = number;
        (void)partition_call(disk_fd, BLKPG_DEL_PARTITION, part);
    }
}

int mount_read_only(const std::string& source, const std::string& where, const std::string& type) {
    ::mkdir(where.c_str(), 0700);
    return outcome(::mount(source.c_str(), where.c_str(), type.c_str(), MS_RDONLY, mount_data(type)));
}

int bind_mount(const std::string& source, const std::string& where) {
    struct stat status {};
    if (::stat(source.c_str(), &status) != 0) return errno;
    if (S_ISDIR(status.st_mode)) {
        ::mkdir(where.c_str(), 0700);
    } else {
        const Descriptor made(::open(where.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    }
    return outcome(::mount(source.c_str(), where.c_str(), nullptr, MS_BIND, nullptr));
}

int unmount_at(const std::string& where) {
    return outcome(::umount2(where.c_str(), UMOUNT_NOFOLLOW));
}

int enter_own_namespace(const std::string& base) {
    if (::unshare(CLONE_NEWNS) != 0) return errno;
    if (::mount(nullptr, base.c_str(), nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
    return outcome(::mount(nullptr, base.c_str(), nullptr, MS_REC | MS_SHARED, nullptr));
}

int mount_elsewhere(const std::string& base, const std::string& source, const std::string& where,
                    const std::string& type, pid_t& holder) {
    ::mkdir(where.c_str(), 0700);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    holder = ::fork();
    if (holder < 0) return errno;
    if (holder == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        int error = enter_own_namespace(base);
        if (error == 0) error = mount_read_only(source, where, type);
        // Close the scenario's descriptors in this process.
        ::dup2(ends[1], 0);
        ::close_range(1, ~0U, 0);
        if (::write(0, &error, sizeof error) != sizeof error || error != 0) ::_exit(1);
        ::close(0);
        while (true) ::pause();
    }
    ::close(ends[1]);
    int error = EIO;
    if (::read(ends[0], &error, sizeof error) != sizeof error) error = EIO;
    ::close(ends[0]);
    if (error != 0) end_child(holder);
    return error;
}

void end_child(pid_t child) {
    if (child <= 0) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

int swap_on(const std::string& path) {
    constexpr std::size_t page = 4096;
    void* const filler = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (filler == MAP_FAILED) return errno;
    *static_cast<volatile char*>(filler) = 0;
    if (::swapon(path.c_str(), SWAP_FLAG_PREFER | SWAP_FLAG_PRIO_MASK) != 0) return errno;
    if (::madvise(filler, page, MADV_PAGEOUT) != 0 || swap_in_use() == 0) {
        (void)::swapoff(path.c_str());
        return EAGAIN;
    }
    return 0;
}
int swap_off(const std::string& path) {
    return outcome(::swapoff(path.c_str()));
}

int lock_range(int fd, short type, std::int64_t start, std::int64_t length) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return outcome(::fcntl(fd, F_OFD_SETLK, &lock));
}

int exchange(const std::string& one, const std::string& other) {
    return outcome(::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE));
}

int put_link(const std::string& path, const std::string& leads_to) {
    const std::string fresh = path + ".new-link";
    ::unlink(fresh.c_str());
    if (::symlink(leads_to.c_str(), fresh.c_str()) != 0) return errno;
    return outcome(::rename(fresh.c_str(), path.c_str()));
}

int make_block_node(const std::string& path, int loop) {
    const std::string node = loop_node(loop);
    struct stat status {};
    if (::stat(node.c_str(), &status) != 0) return errno;
    return outcome(::mknod(path.c_str(), S_IFBLK | 0600, status.st_rdev));
}

std::vector<int> loops_below(const std::string& prefix) {
    std::vector<int> numbers;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/block", gone)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("loop")) continue;
        if (tests::text_of(entry.path() / "loop/backing_file").starts_with(prefix))
            numbers.push_back(std::stoi(name.substr(4)));
    }
    return numbers;
}

void flush_loops(const std::vector<int>& numbers) {
    for (const int number : numbers) {
        const Descriptor device(::open(loop_node(number).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (device) ::fsync(device.get());
    }
}

std::string text_for(int error) {
    return error == 0 ? "ok" : std::strerror(error);
}

} // namespace mediarig::claim_scenarios
