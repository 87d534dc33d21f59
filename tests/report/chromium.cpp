// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/report/chromium.hpp"

#include <cstdio>
#include <sstream>

#include "host/base/process/run_process.hpp"
#include "tests/scratch.hpp"

namespace mediarig::tests {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> browser_arguments(const Scratch& folder) {
    return {"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
            // Requests of the browser itself get no address for any host, so a test does not contact other machines.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--virtual-time-budget=5000",
            "--user-data-dir=" + folder.path("profile")};
}

Result<process::Finished> run_browser(std::vector<std::string> arguments) {
    auto finished = process::run_process(
        {.program = "chromium", .arguments = std::move(arguments), .time_limit = 180s, .output_limit = 64_MiB});
    if (finished && !finished->succeeded())
        return fail(Errc::io_failed,
                    "chromium: " + process::ending_of(*finished) + ": " + process::first_words(*finished));
    return finished;
}

std::string from_percent(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

/// Returns every URL in Chromium's network log that a page requested. Requests of the browser itself have no page as
/// their initiator.
std::vector<std::string> requests_in(const std::string& log, const std::string& page) {
    std::vector<std::string> urls;
    const nlohmann::json parsed = nlohmann::json::parse(log, nullptr, false);
    if (parsed.is_discarded()) return {"the network log does not parse"};
    for (const nlohmann::json& event : parsed["events"]) {
        if (!event.contains("params") || !event["params"].is_object() || !event["params"].contains("url")) continue;
        const std::string url = event["params"]["url"].get<std::string>();
        const std::string initiator = event["params"].value("initiator", "");
        if (url != page && initiator != "not an origin" && !initiator.empty()) urls.push_back(url);
    }
    return urls;
}

/// Minimum width of a window. A frame in it can be narrower.
constexpr int narrowest_window = 500;

/// A page that shows `name` in a frame of `width` and stores the output of its probe.
std::string frame_around(const std::string& name, int width) {
    return "<!DOCTYPE html><body><script>addEventListener('message', (event) => { const element = "
           "document.createElement('pre'); element.id = 'probe'; element.textContent = event.data; "
           "document.body.append(element); });</script><iframe src=\"" +
           name + "\" style=\"border:0;height:800px;width:" + std::to_string(width) + "px\"></iframe></body>";
}

Result<std::string> said_by(std::vector<std::string> words) {
    const std::string program = words.front();
    words.erase(words.begin());
    auto finished = process::run_process({.program = program, .arguments = std::move(words), .output_limit = 64_MiB});
    if (!finished) return fail(finished.error());
    if (!finished->succeeded()) return fail(Errc::io_failed, program + ": " + process::first_words(*finished));
    return std::move(finished->out);
}

/// The rest of the line with this start.
std::string after(const std::string& text, const std::string& name) {
    const auto at = text.find(name);
    if (at == std::string::npos) return {};
    const auto begin = text.find_first_not_of(' ', at + name.size());
    return text.substr(begin, text.find('\n', begin) - begin);
}

struct Word {
    double left{}, top{}, right{}, bottom{};
    std::string text;
};

bool covers(const Word& a, const Word& b) {
    constexpr double touching = 1; // point
    return a.left + touching < b.right && b.left + touching < a.right && a.top + touching < b.bottom &&
           b.top + touching < a.bottom;
}

/// Faults in the word list of pdftotext -bbox.
std::vector<std::string> faults_in(const std::string& boxes) {
    std::vector<std::string> faults;
    std::vector<Word> words;
    double width = 0, height = 0;
    std::istringstream lines(boxes);
    for (std::string line; std::getline(lines, line);) {
        if (std::sscanf(line.c_str(), " <page width=\"%lf\" height=\"%lf\"", &width, &height) == 2) words.clear();
        Word word;
        if (std::sscanf(line.c_str(), " <word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\"", &word.left,
                        &word.top, &word.right, &word.bottom) != 4)
            continue;
        const auto begin = line.find('>') + 1;
        word.text = line.substr(begin, line.find("</word>") - begin);
        if (word.left < 0 || word.top < 0 || word.right > width || word.bottom > height)
            faults.push_back("beyond the sheet: " + word.text);
        for (const Word& other : words)
            if (covers(word, other)) faults.push_back(word.text + " covers " + other.text);
        words.push_back(std::move(word));
    }
    return faults;
}

} // namespace

bool has_chromium() {
    return process::find_program("chromium").has_value();
}

Result<Seen> look_at(const std::string& html, const Looks& looks) {
    const Scratch folder;
    std::string page = html;
    const std::string end = "</body>";
    const auto at = page.rfind(end);
    if (at == std::string::npos) return fail(Errc::bad_format, "the page has no end");
    page.insert(at, std::string("<script>") + (looks.open_folds ? "window.open_folds = true;" : "") +
                        "</script><script>" + looks.extra_script + "</script><script>" + text_of(MEDIARIG_PROBE_JS) +
                        "</script>");
    const std::string policy = "default-src 'none'; ";
    if (const auto place = page.find(policy); place != std::string::npos && !looks.as_it_is)
        page.insert(place + policy.size(), "script-src 'unsafe-inline'; ");
    std::string url = "file://" + folder.write("report.html", page);
    if (looks.width < narrowest_window)
        url = "file://" + folder.write("frame.html", frame_around("report.html", looks.width));

    std::vector<std::string> arguments = browser_arguments(folder);
    arguments.push_back("--window-size=" + std::to_string(looks.width) + ",900");
    if (looks.dark) arguments.emplace_back("--blink-settings=preferredColorScheme=0");
    arguments.emplace_back("--enable-logging=stderr");
    arguments.push_back("--log-net-log=" + folder.path("net.json"));
    arguments.emplace_back("--dump-dom");
    arguments.push_back(url);
    const auto finished = run_browser(std::move(arguments));
    if (!finished) return fail(finished.error());

    const std::string begin = "<pre id=\"probe\">";
    const auto from = finished->out.rfind(begin);
    if (from == std::string::npos) return fail(Errc::io_failed, "the probe did not run: " + finished->err);
    const auto to = finished->out.find("</pre>", from);
    Seen seen;
    seen.page = nlohmann::json::parse(from_percent(finished->out.substr(from + begin.size(), to - from - begin.size())),
                                      nullptr, false);
    std::istringstream lines(finished->err);
    for (std::string line; std::getline(lines, line);)
        if (line.find("CONSOLE") != std::string::npos) seen.console.push_back(line);
    seen.requests = requests_in(text_of(folder.path("net.json")), url);
    return seen;
}

bool has_poppler() {
    return process::find_program("pdfinfo").has_value() && process::find_program("pdftotext").has_value();
}

Result<Print> print(const std::string& html) {
    const Scratch folder;
    const std::string url = "file://" + folder.write("report.html", html), pdf = folder.path("report.pdf");
    std::vector<std::string> arguments = browser_arguments(folder);
    arguments.emplace_back("--no-pdf-header-footer");
    arguments.push_back("--print-to-pdf=" + pdf);
    arguments.push_back(url);
    if (auto finished = run_browser(std::move(arguments)); !finished) return fail(finished.error());
    Print print;
    const auto info = said_by({"pdfinfo", pdf});
    const auto text = said_by({"pdftotext", "-layout", pdf, "-"});
    const auto boxes = said_by({"pdftotext", "-bbox", pdf, "-"});
    if (!info || !text || !boxes) return fail(Errc::io_failed, "poppler does not read the print");
    print.pages = static_cast<std::size_t>(std::stoul(after(*info, "Pages:")));
    print.size = after(*info, "Page size:");
    print.text = *text;
    print.faults = faults_in(*boxes);
    return print;
}

} // namespace mediarig::tests
