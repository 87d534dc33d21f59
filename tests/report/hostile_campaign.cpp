// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/report/hostile_campaign.hpp"

#include "tests/fakes/sample_campaign.hpp"

namespace mediarig::tests {
namespace {

void poison(media::Medium& medium, const std::string& text) {
    medium.vendor = medium.model = medium.serial = medium.revision = text;
    if (medium.usb) medium.usb->driver = medium.usb->product = text;
}

void poison(media::InspectReport& report, const std::string& text) {
    report.scheme = report.problem = text;
    for (media::InspectedVolume& volume : report.volumes) {
        volume.label = volume.file_system = volume.problem = text;
        volume.fingerprint = {text, media::FormatterConfidence::likely, {text}};
        for (auto& [name, value] : volume.parameters) value = text;
        volume.parameters.emplace_back(text, text);
    }
    report.stale_signatures.push_back({.what = text, .at = 512_B});
}

void poison(media::FormatReport& report, const std::string& text) {
    report.tool = report.tool_version = text;
    report.arguments = {text};
    report.parameters = {{text, text}};
}

void poison(store::PassView& view, const std::string& text) {
    view.pass.id = text;
    if (view.pass.formatted) poison(*view.pass.formatted, text);
    if (view.pass.mounted) {
        view.pass.mounted->driver = view.pass.mounted->driver_version = view.pass.mounted->options = text;
        view.pass.mounted->limits = {{.kind = {}, .severity = {}, .detail = text}};
    }
    for (measure::Finding& finding : view.findings) finding.pass = finding.cell = finding.detail = text;
    if (!view.cells.empty()) view.cells.front().cell.id = text;
}

} // namespace

store::CampaignView hostile_campaign(const std::string& text) {
    store::CampaignView view = fakes::sample_campaign();
    view.campaign.name = view.campaign.id = view.campaign.plan = text;
    view.campaign.origin = {text, text, text, text, text, text};
    for (store::DeviceView& device : view.devices) {
        device.device.key = device.device.name = text;
        device.device.lot = device.device.label = device.device.slot = text;
        poison(device.device.identity, text);
        if (device.device.found) poison(*device.device.found, text);
        for (store::PassView& pass : device.passes) poison(pass, text);
        for (store::FormatRecord& made : device.made) {
            made.step = made.format = text;
            poison(made.formatted, text);
            if (made.seen) poison(*made.seen, text);
        }
        device.untested = {{.key = text, .why = text}};
        device.verdict->reasons = {text, text, text, text};
        for (measure::LimitResult& result : device.verdict->limits)
            result.format = result.reason = result.limit.metric = result.limit.suite = text;
    }
    // Suite and format names that no version of mediarig ever wrote.
    store::PassView& strange = view.devices[0].passes[1];
    strange.pass.job.suite = strange.pass.format = text;
    for (workload::CellResult& cell : strange.cells)
        if (cell.cell.table == "large") cell.cell.table = text;
    return view;
}

} // namespace mediarig::tests
