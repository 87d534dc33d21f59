// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/campaign_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "host/base/text.hpp"
#include "host/base/time_text.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::gui {
namespace {

QString joined(const std::vector<std::string>& names) {
    QStringList words;
    for (const std::string& name : names) words += QString::fromStdString(printable(name));
    return words.join(", ");
}

template <class Word>
QString of_devices(const store::ListedCampaign& campaign, Word word) {
    QStringList words;
    for (const store::ListedDevice& device : campaign.devices)
        if (QString each = word(device); !each.isEmpty()) words += std::move(each);
    words.removeDuplicates();
    return words.join(", ");
}

} // namespace

void CampaignTable::show(std::vector<store::ListedCampaign> campaigns) {
    beginResetModel();
    campaigns_ = std::move(campaigns);
    endResetModel();
}

const store::ListedCampaign* CampaignTable::at(int row) const {
    const auto index = static_cast<std::size_t>(row);
    return row >= 0 && index < campaigns_.size() ? &campaigns_[index] : nullptr;
}

int CampaignTable::row_of(const std::string& id) const {
    const auto found = std::ranges::find(campaigns_, id, &store::ListedCampaign::id);
    return found == campaigns_.end() ? -1 : static_cast<int>(found - campaigns_.begin());
}

int CampaignTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(campaigns_.size());
}

int CampaignTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant CampaignTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
    const std::array<QString, column_count> titles{
        QObject::tr("No."), QObject::tr("Began"),   QObject::tr("Name"),   QObject::tr("State"),   QObject::tr("Media"),
        QObject::tr("Lot"), QObject::tr("Formats"), QObject::tr("Suites"), QObject::tr("Verdicts")};
    return titles.at(static_cast<std::size_t>(section));
}

QVariant CampaignTable::data(const QModelIndex& index, int role) const {
    const store::ListedCampaign* const campaign = at(index.row());
    if (campaign == nullptr || role != Qt::DisplayRole) return {};
    const auto text = [](const std::string& word) { return QString::fromStdString(printable(word)); };
    switch (index.column()) {
        case number:
            return static_cast<qulonglong>(campaign->number);
        case began:
            return QString::fromStdString(local_time_text(campaign->started, TimePrecision::minute));
        case name:
            return text(campaign->name);
        case state:
            return QString::fromUtf8(store::name_of(campaign->state).data());
        case media:
            return of_devices(*campaign, [&](const store::ListedDevice& device) {
                return text(device.nickname.empty() ? device.name : device.nickname);
            });
        case lots:
            return of_devices(*campaign, [&](const store::ListedDevice& device) { return text(device.lot); });
        case formats:
            return joined(campaign->formats);
        case suites:
            return joined(campaign->suites);
        default:
            return of_devices(*campaign, [](const store::ListedDevice& device) {
                return QString::fromUtf8(device.grade ? measure::name_of(*device.grade).data() : "-");
            });
    }
}

void CampaignFilter::ask_for(const QString& words) {
    words_ = words.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool CampaignFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (words_.isEmpty()) return true;
    // Models and serials have no column, but a user may search for them.
    const auto* const campaign = static_cast<const CampaignTable*>(sourceModel())->at(row);
    QStringList cells;
    for (const store::ListedDevice& device : campaign->devices)
        for (const std::string& each : {device.name, device.model, device.serial})
            cells += QString::fromStdString(each);
    for (int column = 0; column < CampaignTable::column_count; ++column)
        cells += sourceModel()->index(row, column, parent).data().toString();
    return std::ranges::all_of(words_, [&](const QString& word) {
        return std::ranges::any_of(cells,
                                   [&](const QString& cell) { return cell.contains(word, Qt::CaseInsensitive); });
    });
}

} // namespace mediarig::gui
