// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/rig_choice_box.hpp"

#include <QAbstractItemView>
#include <QLineEdit>

namespace mediarig::gui {
namespace {

QString word_for(app::RigKind kind) {
    const std::string_view word = app::word_of(kind);
    return QString::fromUtf8(word.data(), static_cast<int>(word.size()));
}

} // namespace

RigChoiceBox::RigChoiceBox(bool none) {
    setObjectName("rig");
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setAccessibleName(QObject::tr("Which rig"));
    lineEdit()->setAccessibleName(accessibleName());
    view()->setAccessibleName(accessibleName());
    lineEdit()->setPlaceholderText(QObject::tr("or a rig file"));
    addItem(QObject::tr("the rig that is plugged in"), word_for(app::RigKind::detected));
    addItem(QObject::tr("the simulated rig"), word_for(app::RigKind::simulated));
    if (none) addItem(QObject::tr("no rig: the plan names its media"), "");
}

QString RigChoiceBox::rig() const {
    const QString typed = currentText();
    const int listed = findText(typed);
    return listed >= 0 ? itemData(listed).toString() : typed.trimmed();
}

void RigChoiceBox::choose(app::RigKind kind) {
    setCurrentIndex(findData(word_for(kind)));
}

} // namespace mediarig::gui
