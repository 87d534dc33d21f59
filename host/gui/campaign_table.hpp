// SPDX-License-Identifier: GPL-3.0-or-later
/// The campaigns of a store as a table model with a filter.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <string>
#include <vector>

#include "host/app/campaign_list.hpp"

namespace mediarig::gui {

/// One row per campaign, newest first.
class CampaignTable final : public QAbstractTableModel {
public:
    enum Column : int { number, began, name, state, media, lots, formats, suites, verdicts, column_count };

    using QAbstractTableModel::QAbstractTableModel;
    void show(std::vector<store::ListedCampaign> campaigns);
    [[nodiscard]] const store::ListedCampaign* at(int row) const;
    /// Returns -1 if the campaign is missing.
    [[nodiscard]] int row_of(const std::string& id) const;
    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<store::ListedCampaign> campaigns_;
};

/// Accepts the rows that contain every word of the filter in any column.
class CampaignFilter final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void ask_for(const QString& words);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList words_;
};

} // namespace mediarig::gui
