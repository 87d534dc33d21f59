// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/assets.hpp"
#include "host/report/output/html/html.hpp"
#include "host/report/output/html/parts.hpp"

namespace mediarig::report::html {

std::string document(const std::string& title, const std::string& body) {
    return std::string(page_begins) +
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
           "<title>" +
           title + "</title>\n<style>\n" + report_css() + "</style></head>\n<body><main>\n" + body +
           "</main></body></html>\n";
}

} // namespace mediarig::report::html
