// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

TEST_CASE("sizes are decimal with three digits") {
    CHECK(size_text({0}) == "0 B");
    CHECK(size_text({999}) == "999 B");
    CHECK(size_text({1000}) == "1.00 kB");
    CHECK(size_text({999'499}) == "999 kB");
    CHECK(size_text({999'500}) == "1.00 MB");
    CHECK(size_text({9'996'000}) == "10.0 MB");
    CHECK(size_text({99'960'000}) == "100 MB");
    CHECK(size_text({128'000'000'000}) == "128 GB");
    CHECK(size_text({1'099'511'627'776}) == "1.10 TB");
    CHECK(size_text({~0ull}) == "18.4 EB");
}

TEST_CASE("readable_time() uses the two largest units") {
    CHECK(readable_time(59) == "59 s");
    CHECK(readable_time(80) == "1 min 20 s");
    CHECK(readable_time(7500) == "2 h 5 min");
}

TEST_CASE("columns align, and a medium's own text cannot control the terminal") {
    TextTable table({"DEVICE", "MODEL", "TEST"});
    table.add({"/dev/sdb", "Good", "yes"});
    table.add({"/dev/sdcc", "\x1b[2JEvil\n", ""});
    CHECK(table.text() ==
          "DEVICE     MODEL      TEST\n"
          "/dev/sdb   Good       yes\n"
          "/dev/sdcc  \uFFFD[2JEvil\uFFFD\n");
}

TEST_CASE("joined() omits empty parts without leaving blanks") {
    CHECK(joined({"", "Acme", "", "Stick"}) == "Acme Stick");
    CHECK(joined({"", ""}).empty());
}

TEST_CASE("a long value in a table wraps within its row and does not widen other columns") {
    TextTable table({"NAME", "VALUE", "FROM"});
    table.add({"size", "34.4 GB", "the size that sysfs has"});
    table.add({"registers", "not available: a reader hides the registers of a card", "the card itself"});
    table.add({"removable", "yes", "the removable attribute"});
    CHECK(table.text(60) ==
          "NAME       VALUE                     FROM\n"
          "size       34.4 GB                   the size that sysfs has\n"
          "registers  not available: a reader   the card itself\n"
          "           hides the registers of a\n"
          "           card\n"
          "removable  yes                       the removable attribute\n");
}

TEST_CASE("a table keeps numbers with their units, and prints columns beyond the line width in a second table") {
    TextTable table({"STEP", "WRITES", "ABOUT"});
    table.add({"m0.r1.exfat.quickbench.run", "20 × 67.1 MB", "? +31.5 %"});
    CHECK(table.text(51) ==
          "STEP                        WRITES        ABOUT\n"
          "m0.r1.exfat.quickbench.run  20 × 67.1 MB  ? +31.5 %\n");
    CHECK(table.text(40) ==
          "STEP                        WRITES\n"
          "m0.r1.exfat.quickbench.run  20 × 67.1 MB\n"
          "\n"
          "STEP                        ABOUT\n"
          "m0.r1.exfat.quickbench.run  ? +31.5 %\n");
    CHECK(table.text(10) == table.text(40)); // a word is never split
}

TEST_CASE("a table aligns numbers, separates blocks and keeps each block whole") {
    TextTable table({.title = "Block", .layout = CellLayout::left},
                    {{.title = "Write", .layout = CellLayout::right, .block = "exFAT"},
                     {.title = "Read", .layout = CellLayout::right},
                     {.title = "Write", .layout = CellLayout::right, .block = "a long format"}});
    table.add({"4 KB", "9.5", "120", "7"});
    table.add_rule();
    table.add({"mean", "19.5", "20", "日本"});
    CHECK(table.text(80) ==
          "       exFAT       │  a long format\n"
          "Block  Write  Read │  Write\n"
          "4 KB     9.5   120 │      7\n"
          "───────────────────────────────────\n"
          "mean    19.5    20 │   日本\n");
    CHECK(table.text(34) ==
          "       exFAT\n"
          "Block  Write  Read\n"
          "4 KB     9.5   120\n"
          "──────────────────\n"
          "mean    19.5    20\n"
          "\n"
          "       a long format\n"
          "Block  Write\n"
          "4 KB       7\n"
          "────────────────────\n"
          "mean    日本\n");
    CHECK(table.text(80, Colour::ansi).starts_with("\x1B[1m       exFAT "));
}

TEST_CASE("a table wraps its last column between words") {
    TextTable table({"DEVICE", "WHY"});
    table.add({"/dev/sdb", "it is mounted at /media/HOLIDAY and somebody writes"});
    CHECK(table.text(40) ==
          "DEVICE    WHY\n"
          "/dev/sdb  it is mounted at\n"
          "          /media/HOLIDAY and somebody\n"
          "          writes\n");
    CHECK(paragraph("a-word-that-is-longer-than-the-line b", 10, 2) ==
          "  a-word-that-is-longer-than-the-line\n"
          "  b\n");
}
