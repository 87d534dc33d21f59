// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of a medium or an image: deviations from the standard, regions with their bytes, and all parameters.
#pragma once

#include <QWidget>

#include "host/gui/models/inspection_view.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace mediarig::gui {

class LayoutBar;

class InspectPage final : public QWidget {
public:
    InspectPage();
    ~InspectPage() override;
    /// Lists the attached media again; does not change a typed path.
    void rescan();

private:
    void inspect();
    void choose_image();
    void show_inspected(const InspectionView& inspected);
    void show_region(std::size_t region);

    QComboBox *target_{}, *expected_{};
    QPushButton* look_{};
    QLabel* message_{};
    LayoutBar* bar_{};
    QTreeWidget* tree_{};
    QTreeWidgetItem* layout_{}; ///< entry of the tree with one child per drawn region
    std::size_t looks_{};       ///< number of inspections so far: results of earlier inspections are ignored
};

} // namespace mediarig::gui
