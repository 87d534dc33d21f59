// SPDX-License-Identifier: GPL-3.0-or-later
/// Opens a page in a headless Chromium and looks at it from the inside.
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
    std::string extra_script{}; ///< runs at the end of the page, before it is looked at
    bool open_folds{false};     ///< before it is measured; the text and the state of the folds are those of before
    bool as_it_is{false};       ///< under the page's own policy, which lets no probe in
};

/// Results of a page view.
struct Seen {
    nlohmann::json page;              ///< what probe.js gathered
    std::vector<std::string> console; ///< lines that the page wrote to the console, errors of any script included
    std::vector<std::string>
        requests; ///< every URL that the browser began to load for the page, the page itself excepted
};

/// The page's policy is widened by the scripts of the test alone. Fails with io_failed where the browser did not
/// answer.
[[nodiscard]] Result<Seen> look_at(const std::string& html, const Looks& looks = {});
/// Contents of the sheets of a print.
struct Print {
    std::size_t pages{};
    std::string size; ///< of a sheet, as pdfinfo says it: "594.96 x 841.92 pts (A4)"
    std::string text; ///< in the order in which it is read
    /// Words that reach beyond their sheet, and words that cover each other.
    std::vector<std::string> faults;
};
[[nodiscard]] bool has_poppler();
/// The page printed by the browser, and the print read back by poppler. Fails as look_at().
[[nodiscard]] Result<Print> print(const std::string& html);

} // namespace mediarig::tests
