// SPDX-License-Identifier: GPL-3.0-or-later
/// What is on a medium or in an image: where it deviates from what it should be, its regions with the bytes that were
/// read there, and every parameter.
#pragma once

#include <QWidget>

#include "host/gui/models/inspected.hpp"

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
    /// Looks what is attached; a path that was typed stays.
    void rescan();

private:
    void inspect();
    void choose_image();
    void show_inspected(const Inspected& inspected);
    void show_region(std::size_t region);

    QComboBox *target_{}, *expected_{};
    QPushButton* look_{};
    QLabel* told_{};
    LayoutBar* bar_{};
    QTreeWidget* tree_{};
    QTreeWidgetItem* layout_{}; ///< in the tree: a child for each region that is drawn
    std::size_t looks_{};       ///< made so far: the answer to an earlier one is not shown
};

} // namespace mediarig::gui
