// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios of one kind each: a volume in a partition, and a disk with two paths.
#include <fmt/format.h>

#include "tests/lab/scenarios/scenario.hpp"

namespace mediarig::lab {
namespace {

Verdict verdict_of(const Ending& ending) {
    return {.ending = ending.done ? "done" : fmt::format("{}: {}", name_of(ending.code), ending.said),
            .done = ending.done,
            .refused = !ending.done && ending.code == Errc::refused};
}

void compare(Verdict& verdict, const std::map<std::string, Snapshot>& before,
             const std::map<std::string, Snapshot>& after, const std::string& but = {}) {
    for (const auto& [name, bytes] : after) {
        if (name == but) continue;
        if (const std::string changed = bytes.changed_since(before.at(name)); !changed.empty())
            verdict.wrong.push_back(fmt::format("written on {}: {}", name, changed));
    }
}

} // namespace

Verdict use_one_partition(Stage& stage, std::uint8_t slot, bool nodes_come_late) {
    const Card card = stage.make_card("target", slot == 7 ? "" : "CARD-T", 128_MiB, 0);
    const std::string node = stage.plug(slot, card);
    const std::string names = fmt::format("T={}\n", node);
    const auto made =
        stage.script(names + "cut $T 32 64; mkfs.exfat $(part $T 1) >/dev/null; fill $(part $T 2); fill $(part $T 3)");
    if (made.exit_status != 0) return {.wrong = {"the partitions cannot be made: " + made.output}};
    const auto before = stage.settled();
    const Ending ending = perform(stage, {Operation::reuse, node, {}}, [&](Moment moment) {
        if (moment == Moment::before_mount && nodes_come_late)
            (void)stage.script(names + "partx -d $T; (sleep 1; partx -a $T) >/dev/null 2>&1 &");
    });
    const auto after = stage.settled();
    Verdict verdict = verdict_of(ending);
    if (!ending.done) verdict.wrong.push_back("the volume could not be used");
    compare(verdict, before, after, card.name);
    // sfdisk's place of the first partition.
    if (!after.at(card.name).changed_only_in(before.at(card.name), 1_MiB, 32_MiB))
        verdict.wrong.push_back("written beside the partition: " +
                                after.at(card.name).changed_since(before.at(card.name)));
    if (stage.script("look").exit_status != 0) verdict.wrong.emplace_back("what the other partitions held is lost");
    return verdict;
}

Verdict use_disk_with_two_paths(Stage& stage, bool map) {
    Card card = stage.make_card("target", "CARD-TWO", 128_MiB, 5);
    const NbdServer server(stage.folder(), map ? "mapped" : "two-paths", {"file", card.file});
    card.socket = server.socket();
    const std::string first = stage.plug(1, card), second = stage.plug(2, card);
    if (map) {
        const auto made = stage.script(fmt::format(
            "dmsetup create x --table \"0 $(sectors {0}) multipath 0 0 1 1 round-robin 0 2 1 {0} 100 {1} 100\"; "
            "dmsetup mknodes; volume /dev/mapper/x /s/m",
            first, second));
        if (made.exit_status != 0) return {.wrong = {"the map cannot be made: " + made.output}};
    }
    const auto before = stage.settled();
    const auto medium = stage.machine().ask(stage.agent().identify(first));
    if (!medium) return {.wrong = {medium.error().detail}};
    Verdict verdict;
    // The serial does not distinguish the paths. The port identifies one, but does not prove that the disk is unused.
    const std::string confirmations[] = {card.serial, media::port_confirmation_of(*medium)};
    for (const std::string& confirm : confirmations) {
        if (!map && confirm != card.serial) continue;
        const Ending ending = perform(stage, {Operation::format, first, confirm}, [](Moment) {});
        verdict.ending += verdict_of(ending).ending + "; ";
        verdict.refused = verdict_of(ending).refused;
        if (!verdict.refused) verdict.wrong.push_back("not refused with the confirmation " + confirm);
    }
    compare(verdict, before, stage.settled());
    // Unplug the disk before its server ends.
    if (const std::string left = stage.clean_up(); !left.empty()) verdict.wrong.push_back(left);
    return verdict;
}

} // namespace mediarig::lab
