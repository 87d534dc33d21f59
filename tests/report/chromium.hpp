// SPDX-License-Identifier: GPL-3.0-or-later
/// Opens a page in a headless Chromium and examines it with a script in the page.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "tests/json.hpp"

namespace mediarig::tests {

[[nodiscard]] bool has_chromium();

struct Looks {
    int width{1200};
    bool dark{false};
    std::string extra_script{}; ///< runs at the end of the page, before it is examined
    bool open_folds{false};     ///< opens all folds before the measurement; text and fold states are recorded before
    bool as_it_is{false};       ///< keeps the page's own content policy, which blocks the probe script
};

/// Results of a page view.
struct Seen {
    nlohmann::json page;              ///< results of probe.js
    std::vector<std::string> console; ///< console output of the page, including script errors
    std::vector<std::string>
        requests; ///< every URL that the browser began to load for the page, except the page itself
};

/// The page's policy additionally permits the scripts of the test. Fails with io_failed if the browser did not answer.
[[nodiscard]] Result<Seen> look_at(const std::string& html, const Looks& looks = {});
/// Contents of the sheets of a print.
struct Print {
    std::size_t pages{};
    std::string size; ///< size of a sheet as printed by pdfinfo: "594.96 x 841.92 pts (A4)"
    std::string text; ///< in reading order
    /// Words beyond the edge of their sheet, and overlapping words.
    std::vector<std::string> faults;
};
[[nodiscard]] bool has_poppler();
/// Prints the page in the browser, and reads the print back by poppler. Fails as look_at().
[[nodiscard]] Result<Print> print(const std::string& html);

} // namespace mediarig::tests
