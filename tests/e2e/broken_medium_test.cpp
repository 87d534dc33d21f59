// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests a card that returns read errors in the signature areas. nbdkit runs the card model, FUSE shows it as a file,
/// and the kernel's loop driver shows the file as a device.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

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

/// A card that claims 64 MiB and has 16 MiB. Its first 2 MiB and its last MiB only return errors.
const std::string counterfeit = R"({"claimed_bytes": "64MiB", "real_bytes": "16MiB", "beyond_real": "wrap",
    "bad_sectors": [{"first_sector": 0, "sector_count": 4096}, {"first_sector": 129024, "sector_count": 2048}]})";
/// The card is genuine, but these ranges cannot be read.
const std::string dying = R"({"claimed_bytes": "64MiB",
    "bad_sectors": [{"first_sector": 0, "sector_count": 4096}, {"first_sector": 131071, "sector_count": 1}]})";

const std::string verify = R"sh("$mediarig" verify "$disk" --confirm "$disk" --store "$store" --agent local )sh";

} // namespace

TEST_CASE("a medium is refused if its signatures cannot be read, with a hint to --contents-unknown") {
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

TEST_CASE("with --contents-unknown a counterfeit with read errors at both ends is detected") {
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

TEST_CASE("with --contents-unknown a failing medium gets the verdict FAIL, and its errors are reported") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    const ProgramOutput output = on_card(folder, dying, verify + "--contents-unknown");
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    CAPTURE(output.out, output.err);
    CHECK(output.status == 1);
    CHECK_THAT(output.out, ContainsSubstring("FAIL"));
    CHECK_THAT(output.out, ContainsSubstring("error"));
}

TEST_CASE("with --contents-unknown a medium with a readable signature is still refused") {
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

TEST_CASE("a directory and a file system that is kept are refused with --contents-unknown") {
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

TEST_CASE("refused writes count as damaged bytes, and the certificate names the same places") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    // 8 KiB at 8 MiB, and 4 KiB at 60 MiB.
    const std::string refusing = R"({"claimed_bytes": "64MiB",
        "bad_sectors": [{"first_sector": 16384, "sector_count": 16, "fails": "write"},
                        {"first_sector": 122880, "sector_count": 8, "fails": "write"}]})";
    const ProgramOutput output = on_card(folder, refusing, verify + R"sh(--json="$PWD/r.json"
status=$?
"$mediarig" report --certificate -o "$PWD/c.html" --store "$store" >/dev/null 2>&1
exit $status)sh");
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    CAPTURE(output.out, output.err);
    CHECK(output.status == 1);
    CHECK_THAT(output.out, ContainsSubstring("FAIL") && !ContainsSubstring("FAKE"));
    const auto record = nlohmann::json::parse(read_file(folder / "r.json"));
    const auto& verified = record.at("devices").at(0).at("passes").at(0).at("end").at("verify");
    CHECK(verified.at("damaged_bytes") == 12 * 1024);
    CHECK(verified.at("damaged").at(0).at("kind") == "unwritten");
    CHECK_THAT(read_file(folder / "c.html"), ContainsSubstring("between 8.39 MB and 62.9 MB"));
}

TEST_CASE("if a probe finds no sign of a fake, every output gives the grade PROBED, not PASS") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    const ProgramOutput output =
        on_card(folder, R"({"claimed_bytes": "64MiB"})", verify + R"sh(--probe --json="$PWD/r.json"
status=$?
"$mediarig" report --certificate -o "$PWD/c.html" --store "$store" >/dev/null 2>&1
"$mediarig" report -o "$PWD/p.html" --store "$store" >/dev/null 2>&1
"$mediarig" results --csv="$PWD/r.csv" --store "$store" >/dev/null 2>&1
exit $status)sh");
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    CAPTURE(output.out, output.err);
    CHECK(output.status == 3);
    for (const std::string& text : {output.out, read_file(folder / "c.html"), read_file(folder / "p.html"),
                                    read_file(folder / "r.csv"), read_file(folder / "r.json")})
        CHECK_THAT(text, ContainsSubstring("PROBED"));
    CHECK_THAT(output.out, ContainsSubstring("could have misled it"));
    CHECK_THAT(read_file(folder / "c.html"), ContainsSubstring("could have misled it") && !ContainsSubstring("PASS"));
}

TEST_CASE("a check finds a wrapping fake and leaves every byte of its memory as it was") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    const ProgramOutput output =
        on_card(folder, R"({"claimed_bytes": "64MiB", "real_bytes": "16MiB", "beyond_real": "wrap"})",
                R"sh(dd if=/dev/urandom of="$disk" bs=1M count=16 conv=notrunc,fsync status=none || exit 77
dd if="$disk" of=before bs=1M count=16 status=none
MEDIARIG_UNDO_DIR="$PWD/undo" "$mediarig" check "$disk" --confirm "$disk" --store "$store" --agent local \
    --assumed-cache 4MiB --json="$PWD/r.json"
status=$?
dd if="$disk" of=after bs=1M count=16 status=none
cmp before after || exit 70
exit $status
)sh");
    if (output.status == 77) MEDIARIG_SKIP(output.out);
    CAPTURE(output.out, output.err);
    REQUIRE(output.status == 1);
    CHECK_THAT(output.out, ContainsSubstring("FAKE"));
    const auto verified = nlohmann::json::parse(read_file(folder / "r.json"))
                              .at("devices")
                              .at(0)
                              .at("passes")
                              .at(0)
                              .at("end")
                              .at("verify");
    CHECK(verified.at("true_capacity") == 16 << 20);
    CHECK(verified.at("restored").at("lost") == 0);
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}
