// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/conventions.hpp"

namespace mediarig::cli {
namespace {

constexpr GlossaryEntry statuses[] = {
    {"0", "success; no fault found"},
    {"1", "fault found: MARGINAL, FAIL, FAKE, damaged data"},
    {"2", "invalid request"},
    {"3", "not tested, or the medium was lost (INCONCLUSIVE); the capacity is not proven (SAMPLED, PROBED)"},
    {"4", "refused for safety; the refused medium was not written"},
};

constexpr GlossaryEntry variables[] = {
    {"MEDIARIG_AGENT", "default of --agent: auto, local, sudo, pkexec, lab"},
    {"MEDIARIG_CONFIG", "configuration file, replaces the user's and the system's; /dev/null for none"},
    {"MEDIARIG_DEBIAN_MIRROR", "mirror for the packages of the lab's guest, replaces apt's"},
    {"MEDIARIG_LAB_DIR", "parent of the running lab's folder, replaces XDG_RUNTIME_DIR"},
    {"MEDIARIG_QEMU", "QEMU program of the lab"},
    {"MEDIARIG_STORE", "default of --store"},
    {"MEDIARIG_UNDO_DIR", "folder of undo files of check; ignored by root that works for another user"},
    {"NO_COLOR, CLICOLOR=0, TERM=dumb", "no colours"},
    {"CLICOLOR_FORCE", "colours even without a terminal; overrides the row above"},
    {"XDG_CACHE_HOME", "parent of mediarig/ with the lab's guest (default ~/.cache)"},
    {"XDG_CONFIG_HOME", "parent of mediarig/config.json (default ~/.config)"},
    {"XDG_DATA_HOME", "parent of mediarig/ with store and nicknames (default ~/.local/share)"},
    {"XDG_STATE_HOME", "parent of mediarig/undo, unless the agent works as root (default ~/.local/state)"},
    {"XDG_RUNTIME_DIR", "folder of sockets and locks (default: one in /tmp)"},
};

constexpr GlossaryEntry all_examples[] = {
    {"mediarig devices", "Lists media, whether they can be tested, and the confirmation for erasing."},
    {"mediarig /dev/sdb", "Describes a device and lists the commands that answer questions about it."},
    {"mediarig verify /dev/sdb --confirm 0123456789AB",
     "Writes a whole stick, reads it back and reports its real capacity; erases all data."},
    {"mediarig verify /dev/sdb --probe --confirm 0123456789AB", "Looks for a fake in about half a minute."},
    {"mediarig check /dev/sdb --confirm 0123456789AB", "The same, and restores the data of the medium."},
    {"mediarig format /dev/sdb --profile sd --confirm 0123456789AB",
     "Formats a card with the layout of the SD Association."},
    {"mediarig bench /dev/sdb", "Measures through the existing file system, which is kept."},
    {"mediarig bench ~/folder --quick", "Measures the file system of a folder, without privilege."},
    {"mediarig scan /dev/sdb", "Reads a medium and lists its slow and unreadable places; writes nothing."},
    {"mediarig verify /dev/sdb --read-only", "Compares the data that an earlier verify left on the medium."},
    {"mediarig compare --media last", "Orders the media of a campaign by their measured rates."},
    {"mediarig run plan.json --dry-run", "Shows the steps of a plan and writes nothing."},
    {"mediarig report last --pdf", "Writes the last campaign as a PDF report."},
};

} // namespace

std::span<const GlossaryEntry> examples() {
    return all_examples;
}

std::span<const GlossaryEntry> exit_statuses() {
    return statuses;
}

std::string_view exit_statuses_in_short() {
    return "Exit status: 0 success, 1 fault found, 2 invalid request, 3 not tested, 4 refused for safety; see "
           "mediarig help exit";
}

std::span<const GlossaryEntry> environment_variables() {
    return variables;
}

} // namespace mediarig::cli
