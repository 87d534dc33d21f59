// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/conventions.hpp"

namespace mediarig::cli {
namespace {

constexpr Explained statuses[] = {
    {"0", "done, and good"},
    {"1", "the test was made and found something: MARGINAL, FAIL, FAKE, damaged data"},
    {"2", "the request is wrong"},
    {"3", "the test could not be made, or not all of it"},
    {"4", "refused for safety; nothing was written to what was refused"},
};

constexpr Explained variables[] = {
    {"MEDIARIG_AGENT", "how the agent is reached, where --agent does not say it: auto, local, sudo, pkexec, lab"},
    {"MEDIARIG_CONFIG", "the configuration file, in place of the user's and the machine's; /dev/null for none"},
    {"MEDIARIG_DEBIAN_MIRROR", "where the lab's guest gets its packages, in place of the mirror that apt uses"},
    {"MEDIARIG_LAB_DIR", "the folder that contains the running lab's own, in place of XDG_RUNTIME_DIR"},
    {"MEDIARIG_QEMU", "the QEMU program that the lab starts"},
    {"MEDIARIG_STORE", "the store, where --store does not name one"},
    {"NO_COLOR, CLICOLOR=0, TERM=dumb", "no colours"},
    {"CLICOLOR_FORCE", "colours, also where standard output is not a terminal; counts more than those above"},
    {"XDG_CACHE_HOME", "the folder with the lab's guest in mediarig/ (else ~/.cache)"},
    {"XDG_CONFIG_HOME", "the folder with mediarig/config.json (else ~/.config)"},
    {"XDG_DATA_HOME", "the folder with the store and the nicknames in mediarig/ (else ~/.local/share)"},
    {"XDG_RUNTIME_DIR", "the folder of sockets and locks (else one in /tmp)"},
};

constexpr Explained all_examples[] = {
    {"mediarig devices", "Lists the media, which of them may be tested, and what confirms that one is erased."},
    {"mediarig verify /dev/sdb --confirm 0123456789AB",
     "Writes all of a stick, reads it back and says whether it holds what it claims; everything on it is lost."},
    {"mediarig verify /dev/sdb --probe --confirm 0123456789AB", "Looks for a fake in about half a minute."},
    {"mediarig format /dev/sdb --profile sd --confirm 0123456789AB",
     "Gives a card the layout that the SD Association's formatter gives it."},
    {"mediarig bench /dev/sdb --suite quickbench", "Measures through the file system that is there, and keeps it."},
    {"mediarig bench ~/folder --suite quickbench --quick", "Measures where a folder lies, without any privilege."},
    {"mediarig run plan.json --dry-run", "Shows what a plan would do, and writes nothing."},
    {"mediarig report last --pdf", "Prints the last campaign."},
};

} // namespace

std::span<const Explained> examples() {
    return all_examples;
}

std::span<const Explained> exit_statuses() {
    return statuses;
}

std::string_view exit_statuses_in_short() {
    return "Exit status: 0 good, 1 something was found, 2 wrong request, 3 not tested, 4 refused for safety; see "
           "mediarig help exit";
}

std::span<const Explained> environment_variables() {
    return variables;
}

} // namespace mediarig::cli
