// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/workload/fake_disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/workload/machine.hpp"

namespace mediarig::tests {
namespace {

constexpr const char* fake_disk = R"(
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>
#define THREAD_MODEL NBDKIT_THREAD_MODEL_SERIALIZE_ALL_REQUESTS
static char *memory;
static void load(void) { memory = calloc(1, REAL); }
static void *open_disk(int readonly) { return memory; }
static int64_t get_size(void *h) { return CLAIMED; }
static int pread_disk(void *h, void *buf, uint32_t count, uint64_t offset, uint32_t flags) {
    for (uint32_t i = 0; i < count; i += 512, offset += 512) {
        if (offset >= BAD && offset < BAD + 8192) { nbdkit_set_error(EIO); return -1; }
        if (DROPS && offset >= REAL) memset((char *)buf + i, 0, 512);
        else memcpy((char *)buf + i, memory + offset % REAL, 512);
    }
    return 0;
}
static int pwrite_disk(void *h, const void *buf, uint32_t count, uint64_t offset, uint32_t flags) {
    for (uint32_t i = 0; i < count; i += 512, offset += 512)
        if (!DROPS || offset < REAL) memcpy(memory + offset % REAL, (const char *)buf + i, 512);
    return 0;
}
static int flush_disk(void *h, uint32_t flags) { return 0; }
static struct nbdkit_plugin plugin = {.name = "fake", .load = load, .open = open_disk, .get_size = get_size,
    .pread = pread_disk, .pwrite = pwrite_disk, .flush = flush_disk};
NBDKIT_REGISTER_PLUGIN(plugin)
)";

} // namespace

FakeDisk::FakeDisk(Bytes real, Bytes claimed, Bytes bad, OverflowBehaviour beyond)
    : folder_("/var/tmp/mediarig-fake-XXXXXX") {
    if (!::mkdtemp(folder_.data())) return;
    std::ofstream(folder_ + "/fake.c") << "#define REAL " << real.count << "ull\n#define CLAIMED " << claimed.count
                                       << "ull\n#define BAD " << bad.count << "ull\n#define DROPS "
                                       << (beyond == OverflowBehaviour::drop) << "\n"
                                       << fake_disk;
    std::filesystem::create_directory(folder_ + "/nbd");
    if (!have("nbdkit") || !have("nbdfuse") || !have("fusermount3")) return;
    if (run("cc -shared -fPIC -o " + folder_ + "/fake.so " + folder_ + "/fake.c 2>&1").status != 0) return;
    // nbdkit ends with nbdfuse, and nbdfuse with its mount.
    (void)run("nbdfuse " + path() + " --command nbdkit -s " + folder_ + "/fake.so > " + folder_ + "/log 2>&1 &");
    for (int i = 0; i < 1000 && fd_ < 0; ++i) {
        fd_ = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
        if (fd_ < 0) ::usleep(10'000);
    }
}

FakeDisk::~FakeDisk() {
    if (fd_ >= 0) ::close(fd_);
    (void)run("fusermount3 -u -z " + folder_ + "/nbd 2>&1");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string FakeDisk::path() const {
    return folder_ + "/nbd/disk";
}

workload::JobTarget FakeDisk::target() const {
    workload::JobTarget target;
    target.kind = workload::JobTarget::Kind::device;
    target.path = path();
    target.device_fd = fd_;
    return target;
}

} // namespace mediarig::tests
