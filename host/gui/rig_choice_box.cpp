// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/rig_choice_box.hpp"

#include <QAbstractItemView>
#include <QLineEdit>

namespace mediarig::gui {

RigChoiceBox::RigChoiceBox(bool none) {
    setObjectName("rig");
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setAccessibleName(QObject::tr("Which rig"));
    lineEdit()->setAccessibleName(accessibleName());
    view()->setAccessibleName(accessibleName());
    lineEdit()->setPlaceholderText(QObject::tr("or a rig file"));
    addItem(QObject::tr("the rig that is plugged in"), "auto");
    addItem(QObject::tr("the simulated rig"), "sim");
    if (none) addItem(QObject::tr("no rig: the plan names its media"), "");
}

QString RigChoiceBox::rig() const {
    const QString typed = currentText();
    const int listed = findText(typed);
    return listed >= 0 ? itemData(listed).toString() : typed.trimmed();
}

} // namespace mediarig::gui
