// SPDX-License-Identifier: GPL-3.0-or-later
/// A card that returns read errors in the signature areas: nbdkit runs the card model, FUSE shows it as a file, and the
/// kernel's loop driver as a device.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig::e2e;

namespace {

/// Runs `mediarig` with the words in `call` on "$PWD/m/disk" of this card. Returns status 77 if a tool is missing.
ProgramOutput on_card(const Folder& folder, const std::string& card, const std::string& call) {
    write_file(folder / "card.json", card);
    // clang-format off
    const std::string script = R"sh(cd "$1" || exit 77
for t in nbdkit nbdfuse fusermount3; do command -v $t >/dev/null || { echo "no $t"; exit 77; }; done
[ -w /dev/fuse ] || { echo "no /dev/fuse"; exit 77; }
mkdir -p m; touch m/disk
nbdfuse m/disk [ nbdkit --exit-with-parent "$2" config="$PWD/card.json" backing="$PWD/card.raw" time_scale=0 ] >/dev/null 2>nbd.log &
server=$!
trap 'fusermount3 -u m/disk 2>/dev/null || kill $server; wait $server' EXIT
i=0
until [ "$(stat -c %s m/disk 2>/dev/null)" = 67108864 ]; do
    i=$((i + 1)); [ $i -lt 300 ] || { echo "no mount: $(cat nbd.log)"; exit 77; }
    sleep 0.05
done
mediarig=$3; disk=$PWD/m/disk; store=$PWD/r.db
)sh" + call;
    // clang-format on
    return tool({"sh", "-c", script, "sh", folder.path().string(), MEDIARIG_CARD_PLUGIN, mediarig_program()});
}

/// Claims 64 MiB and has 16 MiB. Its first 2 MiB and its last MiB only return errors.
const std::string counterfeit = R"({"claimed_bytes": "64MiB", "real_bytes": "16MiB", "beyond_real": "wrap",
    "bad_sectors": [{"first_sector": 0, "sector_count": 4096}, {"first_sector": 129024, "sector_count": 2048}]})";
/// A genuine card except for these ranges.
const std::string dying = R"({"claimed_bytes": "64MiB",
    "bad_sectors": [{"first_sector": 0, "sector_count": 4096}, {"first_sector": 131071, "sector_count": 1}]})";

const std::string verify = R"sh("$mediarig" verify "$disk" --confirm "$disk" --store "$store" --agent local )sh";

} // namespace

TEST_CASE("a medium with unreadable signatures is refused with a hint to the flag") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    for (const std::string& call :
         {verify + "--probe",
          std::string(R"sh("$mediarig" format "$disk" --fs exfat --confirm "$disk" --agent local)sh")}) {
        const ProgramOutput output = on_card(folder, counterfeit, call);
        if (output.status == 77) MEDIARIG_SKIP(output.out);
        CAPTURE(output.out, output.err);
        CHECK((output.status == 4 || output.status == 3)); // a campaign that could test nothing exits with 3
        CHECK_THAT(output.out + output.err, ContainsSubstring("its signatures cannot be read at bytes 0 to 2097152"));
        CHECK_THAT(output.out + output.err, ContainsSubstring("--contents-unknown"));
    }
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("contents-unknown detects a counterfeit with read errors at both ends") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    for (const char* how : {"--probe", "--full"}) {
        const Folder folder;
        const ProgramOutput output = on_card(folder, counterfeit, verify + how + " --contents-unknown");
        if (output.status == 77) MEDIARIG_SKIP(output.out);
        CAPTURE(how, output.out, output.err);
        CHECK(output.status == 1);
        CHECK((output.out.find("FAKE") != std::string::npos || output.out.find("FAIL") != std::string::npos));
        CHECK(output.out.find("PASS") == std::string::npos);
    }
}

TEST_CASE("contents-unknown gives a failing medium the verdict FAIL and reports its errors") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    const ProgramOutput output = on_card(folder, dying, verify + "--contents-unknown");
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    CAPTURE(output.out, output.err);
    CHECK(output.status == 1);
    CHECK_THAT(output.out, ContainsSubstring("FAIL"));
    CHECK_THAT(output.out, ContainsSubstring("error"));
}

TEST_CASE("contents-unknown keeps the refusal of a readable signature") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    // A disk of Oracle ASM whose end cannot be read.
    const std::string card =
        R"({"claimed_bytes": "64MiB", "bad_sectors": [{"first_sector": 129024, "sector_count": 2048}]})";
    const ProgramOutput output = on_card(folder, card,
                                         R"sh({ head -c 32 /dev/zero; printf ORCLDISK; head -c 472 /dev/zero; } |
    dd of="$disk" bs=512 iflag=fullblock conv=notrunc,nocreat 2>dd.log || { cat dd.log; exit 77; }
)sh" + verify + "--probe --contents-unknown");
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    CAPTURE(output.out, output.err);
    CHECK(output.status != 0);
    CHECK(output.status != 1);
    CHECK_THAT(output.out + output.err, ContainsSubstring("oracleasm"));
}

TEST_CASE("contents-unknown refuses a directory and a kept file system") {
    const Folder folder;
    make_image(folder / "a.img", 8 << 20);
    const std::string image = (folder / "a.img").string();
    ProgramOutput output =
        call_mediarig({"bench", folder.path().string(), "--suite", "quickbench", "--contents-unknown"}, folder.path());
    CHECK(output.status == 2);
    CHECK_THAT(output.err, ContainsSubstring("is a directory"));
    output = call_mediarig({"bench", image, "--suite", "quickbench", "--contents-unknown"}, folder.path());
    CHECK(output.status == 2);
    CHECK_THAT(output.err, ContainsSubstring("add --raw, or leave it out"));
}
