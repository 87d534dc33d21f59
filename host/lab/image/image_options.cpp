// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/image_options.hpp"

#include <system_error>

#include "host/base/process/environment.hpp"
#include "host/base/process/own_part.hpp"

namespace mediarig::lab {

namespace fs = std::filesystem;

ImageOptions default_image_options() {
    using process::environment;
    std::error_code unknown;
    const fs::path xdg = environment("XDG_CACHE_HOME"), home = environment("HOME");
    // The XDG standard requires that a relative path is ignored.
    const fs::path caches = xdg.is_absolute() ? xdg : (home.empty() ? fs::current_path(unknown) : home) / ".cache";
    return {.cache = caches / "mediarig" / "lab",
            .agent = process::own_part("mediarig-agent-static"),
            .cards = process::own_part("mediarig-lab-cards"),
            .mirror = std::string(environment("MEDIARIG_DEBIAN_MIRROR"))};
}

} // namespace mediarig::lab
