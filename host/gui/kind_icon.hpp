// SPDX-License-Identifier: GPL-3.0-or-later
/// Icon of the connection of a medium: card, stick, disk or file. It makes no assumption about the medium.
#pragma once

#include <QIcon>

#include "host/media/identity/medium.hpp"

namespace mediarig::gui {

/// Drawn in the colours of the adjacent text; scales to any size.
[[nodiscard]] QIcon icon_of(media::Transport transport);

} // namespace mediarig::gui
