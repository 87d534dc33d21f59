// SPDX-License-Identifier: GPL-3.0-or-later
/// plain_tree FOLDER A B C FILES: makes A x B x C folders in three levels, and FILES empty files in each folder of the
/// last level. Uses paths and C functions, as the simplest program does. Prints the processor time in ns.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

int make_files(const char* folder, int files) {
    char path[4096];
    for (int i = 0; i < files; ++i) {
        snprintf(path, sizeof path, "%s/piece-%d.bin", folder, i);
        const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || close(fd) != 0) return 1;
    }
    return 0;
}

int make_folders(const char* folder, char** counts, int levels, int files) {
    char path[4096];
    if (levels == 0) return make_files(folder, files);
    for (int i = 0; i < atoi(counts[0]); ++i) {
        snprintf(path, sizeof path, "%s/folder-%d", folder, i);
        if (mkdir(path, 0700) != 0 || make_folders(path, counts + 1, levels - 1, files) != 0) return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        fprintf(stderr, "plain_tree FOLDER A B C FILES\n");
        return 2;
    }
    if (make_folders(argv[1], argv + 2, 3, atoi(argv[5])) != 0) {
        perror("plain_tree");
        return 1;
    }
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    printf("%lld\n", cpu.tv_sec * 1000000000LL + cpu.tv_nsec);
    return 0;
}
