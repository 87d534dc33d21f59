// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/report/hostile_campaign.hpp"

#include "tests/fakes/sample_campaign.hpp"

namespace mediarig::tests {
namespace {

void poison(media::Medium& medium) {
    medium.vendor = medium.model = medium.serial = medium.revision = hostile_text;
    if (medium.usb) medium.usb->driver = medium.usb->product = hostile_text;
}

void poison(media::InspectReport& report) {
    report.scheme = report.problem = hostile_text;
    for (media::InspectedVolume& volume : report.volumes) {
        volume.label = volume.file_system = volume.problem = hostile_text;
        volume.fingerprint = {hostile_text, media::Sureness::likely, {hostile_text}};
        for (auto& [name, value] : volume.parameters) value = hostile_text;
        volume.parameters.emplace_back(hostile_text, hostile_text);
    }
    report.leftovers.push_back({.what = hostile_text, .at = 512_B});
}

void poison(media::FormatReport& report) {
    report.tool = report.tool_version = hostile_text;
    report.arguments = {hostile_text};
    report.parameters = {{hostile_text, hostile_text}};
}

void poison(store::PassView& view) {
    view.pass.id = hostile_text;
    if (view.pass.formatted) poison(*view.pass.formatted);
    if (view.pass.mounted) {
        view.pass.mounted->driver = view.pass.mounted->driver_version = view.pass.mounted->options = hostile_text;
        view.pass.mounted->limits = {{.kind = {}, .severity = {}, .detail = hostile_text}};
    }
    for (store::FindingRecord& finding : view.findings) finding.cell = finding.finding.detail = hostile_text;
    if (!view.cells.empty()) view.cells.front().cell.id = hostile_text;
}

} // namespace

store::CampaignView hostile_campaign() {
    store::CampaignView view = fakes::sample_campaign();
    view.campaign.name = view.campaign.id = view.campaign.plan = hostile_text;
    view.campaign.origin = {hostile_text, hostile_text, hostile_text, hostile_text, hostile_text};
    for (store::DeviceView& device : view.devices) {
        device.device.key = device.device.name = hostile_text;
        device.device.lot = device.device.label = device.device.slot = hostile_text;
        poison(device.device.identity);
        if (device.device.found) poison(*device.device.found);
        for (store::PassView& pass : device.passes) poison(pass);
        for (store::MadeFormat& made : device.made) {
            made.step = made.format = hostile_text;
            poison(made.formatted);
            if (made.seen) poison(*made.seen);
        }
        device.untested = {hostile_text};
        device.verdict->reasons = {hostile_text, hostile_text, hostile_text, hostile_text};
        for (measure::LimitResult& result : device.verdict->limits)
            result.format = result.reason = result.limit.metric = result.limit.suite = hostile_text;
    }
    // A suite and a format of names that no version of mediarig ever wrote.
    store::PassView& strange = view.devices[0].passes[1];
    strange.pass.job.suite = strange.pass.format = hostile_text;
    for (workload::CellResult& cell : strange.cells)
        if (cell.cell.table == "large") cell.cell.table = hostile_text;
    return view;
}

} // namespace mediarig::tests
