// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "host/app/browser.hpp"
#include "host/app/campaigns.hpp"
#include "host/app/files/text_file.hpp"
#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/output/html/certificate.hpp"
#include "host/report/output/html/html.hpp"

namespace mediarig::cli {
namespace {

/// Value of --pdf that selects the default file name.
constexpr const char* usual_name = "*";
/// "-" means standard output, as in --json and --csv.
constexpr const char* on_stdout = "-";

struct ReportOptions {
    std::string store, campaign, device, output, pdf;
    bool certificate{}, open{}, force{};
};

Result<std::string> page_of(app::OpenCampaign& campaign, const ReportOptions& options) {
    if (options.certificate) {
        const auto devices = chosen_devices(campaign.outline, options.device);
        if (!devices) return fail(devices.error());
        const store::CampaignRecord& record = campaign.outline.campaign;
        if (devices->empty())
            return fail(Errc::bad_request,
                        fmt::format("campaign {} has no device yet: there is nothing to certify", record.id));
        // The checksum of a running campaign would change immediately.
        if (record.state == store::CampaignState::running)
            return fail(Errc::refused,
                        fmt::format("campaign {} is running: wait for its end, then repeat this command", record.id));
        // The checksum on the sheet covers the record, which has no nicknames.
        auto plain = app::open_campaign(options.store, record.id, app::CampaignForm::record);
        if (!plain) return fail(plain.error());
        return report::render_certificates(std::move(plain->outline), *devices, plain->load);
    }
    if (auto kept = keep_chosen(campaign.outline, options.device); !kept) return fail(kept.error());
    const report::PageOptions page{
        .made = std::chrono::system_clock::now(),
        .media = options.device.empty() ? report::media_of_plan(campaign.outline.campaign) : 0};
    return report::render_html(std::move(campaign.outline), campaign.load, page);
}

/// Output paths of the page and of its PDF; either may be empty.
struct Places {
    std::string page, print;
};

bool is_same_place(const std::string& a, const std::string& b) {
    std::error_code unknown;
    return std::filesystem::weakly_canonical(a, unknown) == std::filesystem::weakly_canonical(b, unknown);
}

/// Reduces a campaign name to characters that are safe in a file name, e.g. "Prüflos-November": an imported store may
/// contain any text.
std::string plain_name(const std::string& name) {
    constexpr std::size_t longest = 40;
    std::string plain;
    for (std::string_view rest = name; !rest.empty() && plain.size() < longest;) {
        const CodePoint point = first_code_point(rest);
        const std::string_view letter = rest.substr(0, point.length);
        const char c = letter[0];
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                          (point.valid && is_letter_beyond_ascii(point.value));
        if (kept)
            plain += letter;
        else if (!plain.empty() && plain.back() != '-')
            plain += '-';
        rest.remove_prefix(point.length);
    }
    plain.erase(plain.find_last_not_of('-') + 1);
    return plain;
}

Places places_of(const app::OpenCampaign& campaign, const ReportOptions& options) {
    const std::string name = plain_name(campaign.outline.campaign.name);
    const std::string stem = fmt::format("mediarig-{}{}{}{}", campaign.number, name.empty() ? "" : "-", name,
                                         options.certificate ? "-certificate" : "");
    Places places{.page = options.output, .print = options.pdf};
    if (places.print == usual_name) places.print = stem + ".pdf";
    if (places.page.empty() && places.print.empty()) places.page = stem + ".html";
    return places;
}

Result<std::string> write(const Console& console, const std::string& file, std::string_view begins,
                          const std::string& bytes, app::Existing existing) {
    const auto whole = [&](const app::WritePart& part) { return part(bytes); };
    if (file == on_stdout) {
        console.out << bytes;
        return file;
    }
    if (auto written = app::write_text(file, begins, existing, whole); !written) return fail(written.error());
    std::error_code unknown; // a working folder that was removed
    const std::filesystem::path absolute = std::filesystem::absolute(file, unknown);
    const std::string place = unknown ? file : absolute.string();
    console.out << line_of("report: " + place);
    return place;
}

/// Returns the file to open: the page if it was written, else the PDF.
Result<std::string> make_report(const Console& console, const ReportOptions& options) {
    auto campaign = app::open_campaign(options.store, options.campaign);
    if (!campaign) return fail(campaign.error());
    note_newer(console, options.store, options.campaign);
    const Places places = places_of(*campaign, options);
    if (options.open && (places.page == on_stdout || (places.page.empty() && places.print == on_stdout)))
        return fail(Errc::bad_request, "--open needs a file, and the report goes to standard output: name a file");
    if (places.page.ends_with(".pdf"))
        return fail(Errc::bad_request, fmt::format("-o writes HTML, and {} ends in .pdf: use --pdf={}", places.page,
                                                   shell_word(places.page)));
    const auto existing = options.force ? app::Existing::replaced : app::Existing::kept;
    // Check before the page is made or a browser started.
    if (!places.page.empty() && !places.print.empty() && is_same_place(places.page, places.print))
        return fail(Errc::bad_request,
                    fmt::format("-o and --pdf cannot share {}: give another file to one of them", places.page));
    constexpr std::string_view pdf_begins = "%PDF-";
    for (const auto& [file, begins] :
         {std::pair{places.page, report::page_begins}, std::pair{places.print, pdf_begins}})
        if (!file.empty() && file != on_stdout)
            if (auto possible = app::check_output(file, begins, existing); !possible) return fail(possible.error());
    const auto page = page_of(*campaign, options);
    if (!page) return page;
    Result<std::string> shown;
    if (!places.page.empty()) shown = write(console, places.page, report::page_begins, *page, existing);
    if (!shown || places.print.empty()) return shown;
    const auto print = app::print_to_pdf(*page);
    if (!print) return print;
    auto printed = write(console, places.print, pdf_begins, *print, existing);
    return !printed || places.page.empty() ? printed : shown;
}

int write_report(const Console& console, const ReportOptions& options) {
    const auto file = make_report(console, options);
    if (!file) return report(console, file.error());
    if (!options.open) return 0;
    const auto opened = app::open_file(*file);
    if (opened) return 0;
    return report(
        console, {opened.error().code, fmt::format("{} was written, but is not shown ({}): open it in a browser", *file,
                                                   opened.error().detail)});
}

} // namespace

void add_report_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand("report", "write a campaign as one self-contained HTML file, or as PDF");
    add_campaign_option(*command, options->campaign);
    command->add_option(
        "-o,--output", options->output,
        "file to write, - for standard output; mediarig-NUMBER-NAME.html by default, none by default with --pdf");
    add_device_option(*command, options->device);
    command->add_flag("--certificate", options->certificate,
                      "one page for each device: claimed and real capacity, evidence, how to check it");
    command->add_flag(
        fmt::format("--pdf{{{}}}", usual_name), options->pdf,
        "print the page as PDF with a browser, into FILE (default: mediarig-NUMBER-NAME.pdf; - for standard output)");
    command->add_flag("--open", options->open, "open the file when it is written");
    add_force_option(*command, options->force);
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return write_report(console, *options); }; });
}

} // namespace mediarig::cli
