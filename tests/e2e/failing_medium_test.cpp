// SPDX-License-Identifier: GPL-3.0-or-later
/// `mediarig inspect` on media that are empty, truncated or fail during reading: nbdkit produces the errors, and FUSE
/// shows them as a file.
#include <unistd.h>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig::e2e;

namespace {

/// Inspects an exFAT volume of 64 MiB whose sector at `bad` cannot be read. Returns status 77 if a tool is missing.
ProgramOutput inspect_failing(const Folder& folder, unsigned long bad) {
    // clang-format off
    const std::string script = R"sh(cd "$1" || exit 77
for t in nbdkit nbdfuse fusermount3 mkfs.exfat; do command -v $t >/dev/null || { echo "no $t"; exit 77; }; done
[ -w /dev/fuse ] || { echo "no /dev/fuse"; exit 77; }
truncate -s 64M image && mkfs.exfat -L WORN image >/dev/null || exit 77
mkdir m; touch m/disk
export image=$PWD/image bad=$2
nbdfuse m/disk [ nbdkit --exit-with-parent eval get_size='echo 67108864' pread='
    if [ $4 -le $bad ] && [ $(( $4 + $3 )) -gt $bad ]; then echo EIO worn >&2; exit 1; fi
    dd if=$image iflag=skip_bytes,count_bytes skip=$4 count=$3 bs=64K 2>/dev/null' ] >/dev/null 2>nbd.log &
server=$!
trap 'fusermount3 -u m/disk 2>/dev/null || kill $server; wait $server' EXIT
i=0
until [ "$(stat -c %s m/disk 2>/dev/null)" = 67108864 ]; do
    i=$((i + 1)); [ $i -lt 300 ] || { echo "no mount: $(cat nbd.log)"; exit 77; }
    sleep 0.05
done
"$3" inspect "$PWD/m/disk"
exit $?)sh";
    // clang-format on
    return tool({"sh", "-c", script, "sh", folder.path().string(), std::to_string(bad), mediarig_program()});
}

} // namespace

TEST_CASE("inspect of a medium with a bad sector exits with 1 and reports the unreadable bytes") {
    const Folder folder;
    // The bad sector is in the allocation bitmap, which mkfs.exfat puts at 2 MiB.
    const ProgramOutput output = inspect_failing(folder, 2 << 20);
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    INFO(output.out << output.err);
    CHECK(output.status == 1);
    CHECK_THAT(output.out, ContainsSubstring("not read: "));
    CHECK_THAT(output.out, ContainsSubstring("allocation bitmap: cannot read at byte 2097152: Input/output error"));
    CHECK_THAT(output.out, ContainsSubstring("label WORN"));
    CHECK_THAT(output.out, ContainsSubstring("cluster_heap_offset"));
    CHECK_THAT(output.out, !ContainsSubstring("free_clusters"));
}

TEST_CASE("inspect of a medium with an unreadable start exits with 3 and the offset") {
    const Folder folder;
    const ProgramOutput output = inspect_failing(folder, 0);
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    INFO(output.out << output.err);
    CHECK(output.status == 3);
    CHECK_THAT(output.err,
               ContainsSubstring("/m/disk") &&
                   ContainsSubstring(": cannot read at byte 0: Input/output error; the cable, the port or the "
                                     "reader may be the cause: try others first\n"));
    CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
}

TEST_CASE("inspect of an empty image exits with 1 and reports it as empty") {
    const Folder folder;
    make_image(folder / "empty.img", 8 << 20);
    const ProgramOutput output = call_mediarig({"inspect", (folder / "empty.img").string()}, folder.path());
    INFO(output.out << output.err);
    CHECK(output.status == 1);
    CHECK_THAT(output.out, ContainsSubstring("empty: no partition table and no known file system"));
}
