// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/matrix.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <stdexcept>

namespace mediarig::claim_scenarios {
namespace {

/// A set of values of one of the three enumerations.
template <class E>
struct Set {
    std::uint32_t bits{};
    constexpr Set(std::initializer_list<E> values) {
        for (const E value : values) bits |= 1U << static_cast<unsigned>(value);
    }
    constexpr explicit Set(std::uint32_t all) : bits(all) {}
    [[nodiscard]] constexpr bool has(E value) const { return (bits >> static_cast<unsigned>(value) & 1U) != 0; }
    constexpr Set operator|(Set other) const { return Set(bits | other.bits); }
    constexpr Set operator~() const { return Set(~bits); }
};
using Objects = Set<Object>;
using Activities = Set<Activity>;
using Routes = Set<Route>;

struct Rule {
    Objects objects;
    Activities activities;
    Routes routes;
    Outcome outcome{};
    const char* reason{""};
};

using enum Object;
using enum Activity;
using enum Outcome;

constexpr Objects any_object(~0U), devices{disk, mapper, zram, Object::loop, partition}, loop_device{Object::loop};
constexpr Activities any_use(~0U);
constexpr Routes any_name(~0U);
/// Names of the object itself.
constexpr Routes direct{Route::own, Route::alias, Route::link};
constexpr Routes by_name = direct | Routes{Route::other_namespace, Route::renamed};
constexpr Routes over_it{Route::loop};
constexpr Routes below{Route::file};
constexpr Routes known_overlay{Route::upper, Route::upper_elsewhere, Route::upper_renamed, Route::merged};
constexpr Routes overlay = known_overlay | Routes{Route::merged_lost};
constexpr Routes lower{Route::lower};
/// Uses of a file or a node by a program.
constexpr Activities opened{open_for_reading, open_for_writing, mapped,    ofd_lock, posix_lock,
                            Activity::flock,  in_flight,        own_table, io_uring, guest};
constexpr Activities opened_file = opened | Activities{lease};
constexpr Activities of_device{mounted, swap, held};

/// The first rule that includes a cell decides it. Rules for combinations that do not exist come last.
constexpr std::array rules{
    Rule{~Objects{folder}, {dead_loop}, {Route::own}, permitted, "it shows no byte of the medium"},
    Rule{devices | Objects{image}, {unused}, direct, permitted, "no other program uses it"},
    Rule{{image}, {unused}, known_overlay | lower, permitted, "an overlay that shows the file does not use it"},
    Rule{{image}, {lease}, {Route::merged_lost}, refused},
    Rule{{image},
         opened_file | Activities{unused},
         {Route::merged_lost},
         asked,
         "the upper file of the overlay cannot be found, so its users cannot be listed"},
    Rule{loop_device, opened | Activities{unused}, overlay, refused},
    Rule{loop_device, {unused, open_for_reading}, lower, refused},
    Rule{devices, {open_for_reading}, by_name, permitted, "a reader (a backup, a monitor) loses nothing of its own"},
    Rule{devices,
         {in_flight, io_uring},
         by_name,
         declared,
         "no file of /proc shows a descriptor that is in a message or registered with a ring only"},
    Rule{loop_device,
         {in_flight, io_uring},
         below,
         declared,
         "while a loop device has the file open, the kernel grants no lease, and no file of /proc shows a descriptor "
         "that "
         "is in a message or registered with a ring only; without the loop device, the lease finds it"},

    Rule{devices, opened | of_device, by_name | over_it, refused},
    Rule{devices, {overlay_layer}, {Route::own, Route::other_namespace}, refused},
    Rule{devices | Objects{image}, {unused}, over_it, refused},
    Rule{{disk, mapper, zram, Object::loop, image}, {claimed}, direct, refused},
    Rule{loop_device, opened | Activities{mounted_directly}, below, refused},
    Rule{loop_device, {foreign_content}, below, refused},
    Rule{{image}, {foreign_content}, direct, refused},
    Rule{{image}, opened_file, by_name | known_overlay, refused},
    Rule{{image}, {open_for_reading}, lower, refused},
    Rule{{image}, {swap, mounted_directly}, by_name, refused},
    Rule{{image}, {claimed}, over_it | Routes{Route::upper, Route::merged}, refused},
    Rule{{image}, opened | of_device, over_it, refused},

    Rule{{folder},
         any_use,
         any_name,
         not_applicable,
         "a folder is never erased: commands for media reject it, and `bench FOLDER` works in a new folder below it"},
    Rule{any_object, any_use, lower, not_applicable, "a writer through the overlay gets a copy in its upper folder"},
    Rule{~loop_device, any_use, below, not_applicable, "only a loop device has a file below it"},
    Rule{~Objects{image, Object::loop}, any_use, overlay, not_applicable, "an overlay contains files, not this object"},
    Rule{any_object,
         {lease},
         any_name,
         not_applicable,
         "the kernel grants leases on regular files only, and on none that a loop device has open for writing"},
    Rule{any_object,
         {foreign_content},
         any_name,
         not_applicable,
         "content is a property of the file, whatever the name; devices are judged by signatures (layer 5)"},
    Rule{any_object, {dead_loop}, any_name, not_applicable, "it has no name of the medium"},
    Rule{any_object, {unused}, any_name, not_applicable, "a name alone is no use"},
    Rule{any_object,
         {claimed},
         any_name,
         not_applicable,
         "a partition is never claimed; mediarig works in a mount namespace of its own and claims by present names"},
    Rule{any_object,
         {overlay_layer},
         any_name,
         not_applicable,
         "the names through an overlay cover image files; other names of a mounted volume: mounted"},
    Rule{devices, {mounted_directly}, any_name, not_applicable, "see mounted"},
    Rule{{image}, {mounted_directly}, any_name, not_applicable, "see mounted; not from a file of an overlay"},
    Rule{any_object, of_device, any_name, not_applicable,
         "it needs a device, or for swap a file that is not on an overlay: see the loop device over it"},
};

template <class E, std::size_t N>
std::vector<E> values() {
    std::vector<E> all;
    for (std::size_t i = 0; i < N; ++i) all.push_back(static_cast<E>(i));
    return all;
}

const Rule* rule_for(const Cell& cell) {
    for (const Rule& rule : rules)
        if (rule.objects.has(cell.object) && rule.activities.has(cell.activity) && rule.routes.has(cell.route))
            return &rule;
    return nullptr;
}

} // namespace

const char* name_of(Object object) {
    constexpr std::array<const char*, objects> names{"disk", "mapper", "zram", "loop", "partition", "image", "folder"};
    return names[static_cast<std::size_t>(object)];
}

const char* name_of(Activity activity) {
    constexpr std::array<const char*, activities> names{"unused",
                                                        "open for reading",
                                                        "open for writing",
                                                        "mapped shared, then closed",
                                                        "record lock (OFD)",
                                                        "record lock (POSIX)",
                                                        "BSD lock, reader",
                                                        "lease",
                                                        "descriptor in a message",
                                                        "open in a thread's own table",
                                                        "registered with io_uring",
                                                        "disk of a guest (QEMU)",
                                                        "mounted",
                                                        "mounted without a loop device",
                                                        "swap",
                                                        "held with O_EXCL",
                                                        "layer of an overlay",
                                                        "claimed by another mediarig",
                                                        "file of another format",
                                                        "another user's dead loop device"};
    return names[static_cast<std::size_t>(activity)];
}

const char* name_of(Route route) {
    constexpr std::array<const char*, routes> names{
        "own name",        "alias",         "link",  "file below",      "loop over it",
        "other namespace", "renamed since", "upper", "upper elsewhere", "upper renamed",
        "merged",          "merged, lost",  "lower"};
    return names[static_cast<std::size_t>(route)];
}

const char* name_of(Outcome outcome) {
    constexpr std::array<const char*, outcomes> names{"refused", "asked", "declared", "permitted", "not applicable"};
    return names[static_cast<std::size_t>(outcome)];
}

std::string name_of(const Cell& cell) {
    return fmt::format("{} / {} / {}", name_of(cell.object), name_of(cell.activity), name_of(cell.route));
}

std::vector<Cell> all_cells() {
    std::vector<Cell> all;
    for (const Object object : values<Object, objects>())
        for (const Activity activity : values<Activity, activities>())
            for (const Route route : values<Route, routes>()) all.push_back({object, activity, route});
    return all;
}

Verdict verdict_on(const Cell& cell) {
    const Rule* rule = rule_for(cell);
    if (rule == nullptr) throw std::logic_error("no rule decides " + name_of(cell));
    return {rule->outcome, rule->reason};
}

std::vector<std::string> faults_of_rules() {
    std::vector<std::string> faults;
    std::array<int, rules.size()> decided{};
    for (const Cell& cell : all_cells()) {
        const Rule* rule = rule_for(cell);
        if (rule == nullptr)
            faults.push_back("no rule decides " + name_of(cell));
        else
            ++decided[static_cast<std::size_t>(rule - rules.data())];
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (decided[i] == 0) faults.push_back(fmt::format("rule {} decides no cell", i + 1));
        if ((rules[i].outcome == refused) != std::string(rules[i].reason).empty())
            faults.push_back(fmt::format("rule {}: every outcome but a refusal needs a reason", i + 1));
    }
    return faults;
}

} // namespace mediarig::claim_scenarios
