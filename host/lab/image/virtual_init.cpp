// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "host/lab/image/guest_init.hpp"
#include "host/lab/image/virtual_image.hpp"

namespace mediarig::lab {

std::string_view virtual_init_script() {
    static const std::string script = std::string(init_start()) + R"sh(
# The folder of this computer with the contents of the cards.
mkdir -p /media /run/lab
mount -t hostfs none /media || say "cannot mount the folder of the media"

keep_agent() {
    while :; do
        mediarig-agent --device "$1" --lab-media /run/lab </dev/null >/dev/console 2>&1
        say "agent ended with $?"
        sleep 1
    done
}

keep_shell() {
    while read -r id script; do
        [ -n "$id" ] || continue
        sh -c "$(echo "$script" | base64 -d)" </dev/null >/tmp/frame 2>&1
        echo "$id $? $(base64 -w0 </tmp/frame)"
    done
}

# The lines stay open and in raw mode, also while a program is restarted: a closed line loses its input.
exec 4<>/dev/ttyS0 5<>/dev/ttyS1 6<>/dev/ttyS2
for line in 0 1 2; do stty -F /dev/ttyS$line raw -echo; done

keep_agent /dev/ttyS0 4<&- 5<&- 6<&- &
mediarig-lab-cards /dev/ttyS1 /media /run/lab </dev/null >/dev/console 2>&1 4<&- 5<&- 6<&- &
keep_shell <&6 >&6 4<&- 5<&- 6<&- &
say READY
echo "ready 0 " >&6
while :; do wait; sleep 3600; done
)sh";
    return script;
}

} // namespace mediarig::lab
