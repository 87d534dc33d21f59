// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"
#include "host/report/text/display_text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace std::chrono_literals;

namespace {
const std::string mark = "\xEF\xBF\xBD"; // U+FFFD
}

TEST_CASE("text of a medium is printed without escape sequences, line ends and bidirectional controls") {
    CHECK(printable("SanDisk Ultra") == "SanDisk Ultra");
    CHECK(printable("\033[2Jgone") == mark + "[2Jgone");
    CHECK(printable("a\nb\rc\td") == "a" + mark + "b" + mark + "c" + mark + "d");
    CHECK(printable("\xC2\x9B"
                    "31m") == mark + "31m"); // C1 control sequence introducer
    const std::string right_to_left{'\xE2', '\x80',
                                    '\xAE'}; // a direction override; escaped, since it would reorder this source
    CHECK(printable("abc" + right_to_left + "fed") == "abc" + mark + "fed");
    CHECK(printable("Größe ✓ 日本") == "Größe ✓ 日本");
}

TEST_CASE("invalid UTF-8 bytes are replaced one by one, and the following text is kept") {
    CHECK(printable("\xFF\xFE ok") == mark + mark + " ok");
    CHECK(printable("\xE2\x82") == mark + mark); // a truncated sequence
    CHECK(printable("\xE2\x82"
                    "A") == mark + mark + "A");
    CHECK(printable("\xC0\xAF") == mark + mark);                       // overlong '/'
    CHECK(printable("\xE0\x80\xAF") == mark + mark + mark);            // overlong, three bytes
    CHECK(printable("\xED\xA0\x80") == mark + mark + mark);            // half a surrogate pair
    CHECK(printable("\xF4\x90\x80\x80") == mark + mark + mark + mark); // beyond U+10FFFF
    CHECK(valid_utf8("a\nb\xFF") == "a\nb" + mark); // formats with their own escapes keep the line end
}

TEST_CASE("text cannot break out of HTML text or attributes") {
    CHECK(html_escaped("</script><img src=x onerror='a(\"b\")'>&") ==
          "&lt;/script&gt;&lt;img src=x onerror=&#39;a(&quot;b&quot;)&#39;&gt;&amp;");
    CHECK(html_escaped(std::string("a\0b", 3)) == "a" + mark + "b");
}

TEST_CASE("the width of text in a terminal is counted in columns, not bytes") {
    CHECK(display_width("") == 0);
    CHECK(display_width("exFAT") == 5);
    CHECK(display_width("±1.2%") == 5);
    CHECK(display_width("日本") == 4);
    CHECK(display_width("e\xCC\x81") == 1); // e with a combining acute accent
    CHECK(display_width("\xFF") == 1);
    CHECK(display_width("☕\uFE0F") == 2);
}

TEST_CASE("a file name keeps letters of left-to-right scripts, and other characters beyond ASCII are replaced") {
    for (const char32_t letter : U"ßéŁЖΩकअ日ーカ가\u0308０") CHECK((letter == 0 || is_letter_beyond_ascii(letter)));
    // Quotation mark, modifier apostrophe, dash, blank, joiner, variation selector, Hangul filler, Hebrew, emoji, euro.
    for (const char32_t mark : U"“\u02BC–\u00A0\u200D\uFE0F\u3164א😀€a/") CHECK_FALSE(is_letter_beyond_ascii(mark));
}

TEST_CASE("byte amounts and durations are printed in usual units") {
    CHECK(block_title(4_KiB) == "4 KB");
    CHECK(block_title(1_MiB) == "1024 KB");
    CHECK(block_title(10_MiB) == "10 MB");
    CHECK(block_title(512_B) == "512 B");
    CHECK(size_text(Bytes{63'864'569'856}) == "63.9 GB");
    CHECK(size_text(Bytes{8'053'063'680}) == "8.05 GB");
    CHECK(size_text(Bytes{2'000'398'934'016}) == "2.00 TB");
    CHECK(size_text(Bytes{268'435'456}) == "268 MB");
    CHECK(size_text(Bytes{4096}) == "4.10 kB");
    CHECK(latency_text(85us) == "85.0 µs");
    CHECK(latency_text(1'240us) == "1.24 ms");
    CHECK(latency_text(2'500ms) == "2.50 s");
    CHECK(duration_text(12s) == "12 s");
    CHECK(duration_text(250s) == "4 min 10 s");
    CHECK(duration_text(3'720s) == "1 h 02 min");
    CHECK(format_title("exfat") == "exFAT");
    CHECK(format_title("raw") == "raw");
}
