// SPDX-License-Identifier: GPL-3.0-or-later
/// A hundred typing errors, each with its exit status, a one-line error, and a suggestion if a similar word exists.
/// Errors in files, plans, stores and media are in bad_input_test.cpp.
#include <algorithm>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

struct Mistake {
    std::string words; ///< arguments as typed, without the program name; @ means the test's folder
    int status;
    std::string line; ///< line on standard error, without "mediarig: " and the hint at the help
};

std::vector<std::string> typed_words(const std::string& words, const Folder& folder) {
    std::vector<std::string> all;
    std::istringstream text(words);
    for (std::string word; text >> word;) {
        if (const auto at = word.find('@'); at != std::string::npos) word.replace(at, 1, folder.path().string());
        all.push_back(word == "''" ? "" : word);
    }
    return all;
}

std::string with_folder(std::string text, const Folder& folder) {
    for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, folder.path().string());
    return text;
}

const Mistake mistakes[] = {
    {"verfiy x", 2, "there is no command 'verfiy'; did you mean 'verify'?"},
    {"bnech x", 2, "there is no command 'bnech'; did you mean 'bench'?"},
    {"devcies", 2, "there is no command 'devcies'; did you mean 'devices'?"},
    {"inspct x", 2, "there is no command 'inspct'; did you mean 'inspect'?"},
    {"formta x", 2, "there is no command 'formta'; did you mean 'format'?"},
    {"reuslts", 2, "there is no command 'reuslts'; did you mean 'results'?"},
    {"reprot", 2, "there is no command 'reprot'; did you mean 'report'?"},
    {"campagins", 2, "there is no command 'campagins'; did you mean 'campaigns'?"},
    {"pubished", 2, "there is no command 'pubished'; did you mean 'published'?"},
    {"rnu plan.json", 2, "there is no command 'rnu'; did you mean 'run'?"},
    {"hepl", 2, "there is no command 'hepl'; did you mean 'help'?"},
    {"nmaes", 2, "there is no command 'nmaes'; did you mean 'names'?"},
    {"confg", 2, "there is no command 'confg'; did you mean 'config'?"},
    {"comapre x", 2, "there is no command 'comapre'; did you mean 'compare'?"},
    {"comapre", 2, "there is no command 'comapre'; did you mean 'compare'?"},
    {"lba", 2, "there is no command 'lba'; did you mean 'lab'?"},
    {"lab strat", 2, "there is no command 'lab strat'; did you mean 'start'?"},
    {"lab sttaus", 2, "there is no command 'lab sttaus'; did you mean 'status'?"},
    {"lab unplgu 1", 2, "there is no command 'lab unplgu'; did you mean 'unplug'?"},
    {"lab devcies", 2, "there is no command 'lab devcies'; did you mean 'devices'?"},
    {"lab thorttle 1", 2, "there is no command 'lab thorttle'; did you mean 'throttle'?"},
    {"lab evject 1", 2, "there is no command 'lab evject'; did you mean 'eject'?"},
    {"rig staus", 2, "there is no command 'rig staus'; did you mean 'status'?"},
    {"rig hmoe", 2, "there is no command 'rig hmoe'; did you mean 'home'?"},
    {"rig untload", 2, "there is no command 'rig untload'; did you mean 'unload'?"},
    {"rig power 1 onn", 2, "STATE: 'onn' is not a choice; did you mean 'on'?"},
    {"rig wtach", 2, "there is no command 'rig wtach'; did you mean 'watch'?"},
    {"campaigns delte 1", 2, "there is no command 'campaigns delte'; did you mean 'delete'?"},
    {"campaigns exprot 1", 2, "there is no command 'campaigns exprot'; did you mean 'export'?"},
    {"campaigns imprt x", 2, "there is no command 'campaigns imprt'; did you mean 'import'?"},
    {"names giv x y", 2, "there is no command 'names giv'; did you mean 'give'?"},
    {"names froget x", 2, "there is no command 'names froget'; did you mean 'forget'?"},
    {"published shwo x", 2, "there is no command 'published shwo'; did you mean 'show'?"},
    {"published chekc", 2, "there is no command 'published chekc'; did you mean 'check'?"},
    {"help lab plugg", 2, "there is no command 'lab plugg'; did you mean 'lab plug'?"},
    {"--store @/x.db campaigns import @/y.db", 2,
     "--store goes after the command: mediarig campaigns import … --store"},
    {"report last --pdf @/x.pdf", 2,
     "report takes no further argument, and '@/x.pdf' is one; a file follows '=': --pdf=@/x.pdf"},
    {"help bench xyz", 2, "there is no command 'bench xyz'"},
    {"help vreify", 2, "there is no command 'vreify'; did you mean 'verify'?"},
    {"lab", 2,
     "lab needs a command: build, info, cards, start, stop, status, devices, plug, unplug, insert, eject, "
     "throttle, fault, power-cut, shell"},
    {"rig", 2,
     "rig needs a command: find, status, home, load, nest, unload, power, empty, jog, counters, "
     "bootloader, reset, stop, park, watch, "
     "qualify-hub, hub-power, enclosures, cycle-enclosure, plug, uplinks, wear, gage-study, control-chart, sim"},
    {"devices --jsno", 2, "devices has no option --jsno; did you mean '--json'?"},
    {"devices --agnet local", 2, "devices has no option --agnet; did you mean '--agent'?"},
    {"devices extra", 2, "devices takes no further argument, and 'extra' is one"},
    {"devices --agent remote", 2, "--agent: 'remote' is not a choice; choose one of auto, local, sudo, pkexec, lab"},
    {"devices --agent locla", 2, "--agent: 'locla' is not a choice; did you mean 'local'?"},
    {"devices --agent", 2, "--agent needs a value"},
    {"inspect", 2, "target is required"},
    {"inspect @/card.img --exepct sd", 2, "inspect has no option --exepct; did you mean '--expect'?"},
    {"inspect @/card.img --expect sdd", 2,
     "unknown standard 'sdd': use one of sound, sd, windows, macos, linux, or the path of a profile"},
    {"inspect @/card.img --hex", 2, "--hex needs a value"},
    {"inspect @/card.img --hex fat_offset --expect sd", 2,
     "--hex shows only bytes: leave --expect out, or run the command twice"},
    {"inspect @/card.img @/card.img", 2, "inspect takes no further argument, and '@/card.img' is one"},
    {"inspect @/none.img", 2, "@/none.img: no such device, image or directory; 'mediarig devices' lists the devices"},
    {"test x", 2, "there is no command 'test'; did you mean 'verify'?"},
    {"restore x", 2, "there is no command 'restore'; did you mean 'check'?"},
    {"genuine", 2, "there is no command 'genuine'; did you mean 'verify'?"},
    {"help fake", 2, "there is no command 'fake'; did you mean 'verify'?"},
    {"list", 2, "there is no command 'list'; did you mean 'devices'?"},
    {"--store @/s.db results", 2, "--store goes after the command: mediarig results … --store"},
    {"bench quickbench @/card.img", 2, "bench takes no further argument, and '@/card.img' is one"},
    {"results 3 5", 2, "results takes no further argument, and '5' is one"},
    {"run --resume", 2, "plan is required: the plan of the campaign to resume"},
    {"inspect --json", 2, "target is required"},
    {"inspect @/card.img --expect @/plan.json", 2,
     "@/plan.json: /mediarig_profile: is missing; a profile begins with \"mediarig_profile\": 1; and 2 more faults"},
    {"inspect @/card.img --save-profile ''", 2, "--save-profile needs a value: give one, or leave the option out"},
    {"format @/card.img --confirm @/card.img", 2,
     "the format is missing: add --fs and a file system, or --profile and sd, windows, macos, linux or a file"},
    {"format @/card.img --fs exfta --confirm @/card.img", 2, "unknown file system 'exfta'; did you mean 'exfat'?"},
    {"format @/card.img --fs ntfs --confirm @/card.img", 2,
     "unknown file system 'ntfs': use one of exfat, apfs, hfs+j, hfs+, hfsx+j, fat32, fat16, fat12"},
    {"format @/card.img --fs exfat", 2, "this erases @/card.img: confirm an image by its path, --confirm @/card.img"},
    {"format @/card.img --fs exfat --confrim x", 2, "format has no option --confrim; did you mean '--confirm'?"},
    {"format @/card.img --fs exfat --confirm", 2, "--confirm needs a value"},
    {"format @/card.img --profile wndows --confirm x", 2,
     "unknown format profile 'wndows': use one of sd, windows, macos, linux"},
    {"format @/card.img --profile @/none.json --confirm x", 2,
     "@/none.json cannot be read: No such file or directory; check the name"},
    {"format @/card.img --profile @/plan.json --confirm x", 2,
     "@/plan.json: /mediarig_profile: is missing; a profile begins with \"mediarig_profile\": 1; and 2 more faults"},
    {"format @/card.img --profile @/plan.json --fs exfat --confirm x", 2,
     "--fs conflicts with --profile @/plan.json, which sets the same value: leave one of them out, or write another "
     "profile"},
    {"format @/card.img --fs exfat --cluster-size 3QB --confirm x", 2,
     "--cluster-size: \"3QB\" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB"},
    {"format @/card.img --fs exfat --cluster-size 4MB --confirm x", 2,
     "--cluster-size: \"4MB\" has an ambiguous unit (1000 or 1024); sizes are binary: use \"4MiB\""},
    {"format @/card.img --fs exfat --cluster-size -1 --confirm x", 2,
     "--cluster-size: \"-1\" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB"},
    {"format @/card.img --fs exfat --table apt --confirm x", 2,
     "unknown partition table 'apt': use one of none, mbr, gpt"},
    {"format @/card.img --fs exfat --volume-id 12 --confirm x", 2,
     "--volume-id takes sixteen hexadecimal digits, for example 0123456789abcdef"},
    {"format @/card.img --fs exfat --partition-start 1MiB --confirm x", 2,
     "--partition-start needs a partition: add --table mbr or --table gpt"},
    {"format --fs exfat", 2, "target is required"},
    {"bench", 2, "target is required"},
    {"@/none/card.img", 2, "there is no command '@/none/card.img'"},
    {"bench @/card.img --repeat 0", 2, "--repeat: 0 is out of range; the range is 1 to 1000"},
    {"bench @/card.img --depth none", 2, "--depth: 'none' is not a number"},
    {"bench @/card.img --block 3QB", 2, "--block: \"3QB\" is not a size"},
    {"bench @ --suite stibium --block 4KiB", 2, "suite stibium takes no choice of blocks; leave it out"},
    {"bench @/card.img --suite quickbnech", 2, "--suite: 'quickbnech' is not a choice; did you mean 'quickbench'?"},
    {"bench @/card.img --suit quickbench", 2, "bench has no option --suit; did you mean '--suite'?"},
    {"bench @/card.img --suite quickbench --engine urnig", 2,
     "--engine: 'urnig' is not a choice; did you mean 'uring'?"},
    {"bench @/card.img --suite quickbench --cache dorpped", 2,
     "--cache: 'dorpped' is not a choice; did you mean 'dropped'?"},
    {"bench @/card.img --suite quickbench --partition 0", 2, "--partition: 0 is out of range; the range is 1 to 1024"},
    {"bench @/card.img --suite quickbench --partition x", 2,
     "--partition: 'x' is not a number; the range is 1 to 1024"},
    {"bench @/card.img --suite quickbench --raw", 2,
     "this erases @/card.img: confirm an image by its path, --confirm @/card.img"},
    {"bench @/card.img --suite quickbench --raw --partition 1 --confirm x", 2,
     "--partition chooses the file system to be mounted, and --raw mounts no file system: leave one of the two out"},
    {"bench @/card.img --suite quickbench --contents-unknown", 2,
     "--contents-unknown permits destroying the data on @/card.img, and its file system is to be measured: add --raw, "
     "or leave it out"},
    {"bench @ --suite quickbench --use-unknown", 2,
     "--use-unknown applies to a device or an image, and @ is a directory: leave it out"},
    {"bench @ --suite quickbench --raw --confirm x", 2,
     "@ is a directory: the bare device cannot be reached through it; name the device, or leave out --raw"},
    {"bench @/none --suite quickbench", 2,
     "@/none: no such device, image or directory; 'mediarig devices' lists the devices"},
    {"bench /dev/null --suite quickbench", 2,
     "/dev/null is not a block device, image file or directory; 'mediarig devices' lists the devices"},
    {"bench @/card.img --suite quickbench --quikc", 2, "bench has no option --quikc; did you mean '--quick'?"},
    {"verify", 2, "target is required"},
    {"format @/card.img --fs exfat --length 8MiB", 2,
     "--length needs --table mbr: without a table a volume has the size of the medium, and a GPT has a copy at the end "
     "of the medium, which a fake loses"},
    {"bench @/card.img --suite disktester --from 1MiB", 2,
     "--from needs --raw: a file system chooses the place of the data"},
    {"verify @ --from 1MiB", 2,
     "--from needs a device or an image: the file system of a directory chooses the place of the data; leave --from "
     "out"},
    {"check @/card.img --changed", 2, "--changed is used with --restore or --forget"},
    {"verify @ --read-only", 2,
     "@ contains no file of H2testw or f3 (1.h2w): name the folder that contains them, or a device that was tested "
     "with "
     "verify"},
    {"verify @/card.img", 2, "this erases @/card.img: confirm an image by its path, --confirm @/card.img"},
    {"scan", 2, "target is required"},
    {"scan @/none", 2, "@/none"},
    {"scan @/card.img --seconds 0", 2, "--seconds"},
    {"check", 2, "target is required"},
    {"check @/card.img", 2,
     "this writes to @/card.img and restores its content afterwards: confirm an image by its path, --confirm "
     "@/card.img"},
    {"check @/card.img --restore", 2,
     "this writes to @/card.img and restores its content afterwards: confirm an image by its path, --confirm "
     "@/card.img"},
    {"check @/card.img --changed --confirm @/card.img", 2, "--changed is used with --restore or --forget"},
    {"check @/card.img --forget --restore --confirm @/card.img", 2, "--restore excludes --forget"},
    {"check @/card.img --until-sure 0 --confirm @/card.img", 2, "--until-sure"},
    {"check @ --confirm x", 2, "@ is a directory: the bare device cannot be reached through it; name the device"},
    {"suites x", 2, "suites takes no further argument, and 'x' is one"},
    {"describe @/none", 2, "@/none: no such device, image or directory"},
    {"check @/card.img --assumed-cache 900GiB --confirm @/card.img", 2,
     "an assumed cache of 966 GB is more than 17.2 GB"},
    {"verify @/card.img --prob", 2, "verify has no option --prob; did you mean '--probe'?"},
    {"verify @/card.img --quick --full --confirm @/card.img", 2, "--quick excludes --full"},
    {"bench @/card.img --suite bonnie --raw --confirm @/card.img", 2,
     "suite bonnie makes files, which need a file system; leave out --raw"},
    {"bench @ --suite capacity", 2, "suite capacity works on the bare device; add --raw, or choose suite verify"},
    {"bench @ --suite quickbench --table extnded", 2,
     "suite quickbench has no table \"extnded\"; it has standard, large, extended"},
    {"bench @ --suite quickbench --option threads=4", 2, "suite quickbench accepts no options of its original"},
    {"bench @ --suite sysbench-fileio --option file-num", 2, "option file-num needs a value: file-num=…"},
    {"verify @/card.img --probe --assumed-cache 900GiB --confirm @/card.img", 2,
     "an assumed cache of 966 GB is more than 17.2 GB"},
    {"verify @ --probe", 2,
     "@: --probe needs a device or an image: the file system of a directory chooses the place of the data; leave "
     "--probe out"},
    {"verify @/card.img --assumed-cache 1GiB", 2, "--assumed-cache requires --probe"},
    {"verify @/card.img --probe --assumed-cache much", 2,
     "--assumed-cache: \"much\" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB"},
    {"verify @/card.img --probe --assumed-cache 99999999999999999999", 2,
     "--assumed-cache: \"99999999999999999999\" is too large; a size is at most 1 PiB"},
    {"lab throttle 1 --read -1", 2,
     "--read: '-1' is not a rate; give bytes per second, or a whole number with a unit, as in 20MB"},
    {"verify @/card.img --confirm ''", 2, "--confirm needs a value"},
    {"compare", 2, "target is required, or --from FILE for measurements from elsewhere"},
    {"compare @/card.img --self-test --margin nan", 2, "--margin: 'nan' is not a number; the range is 0.1 to 100"},
    {"compare @/card.img --formats exfat,hfs+j", 2,
     "this erases @/card.img: confirm an image by its path, --confirm @/card.img"},
    {"compare @ --self-test --confirm @", 2,
     "@ is a directory, and formats are made on a device or an image; name one of these"},
    {"compare @/card.img --formats exfat --confirm @/card.img", 2,
     "--formats: names fewer than two formats; a comparison needs at least two"},
    {"compare @/card.img --formats exfat,exfat --confirm @/card.img", 2,
     "--formats exfat: is named already; a self-test compares a format with itself"},
    {"compare @/card.img --formats exfat,exfta --confirm @/card.img", 2, "--formats exfta: unknown file system"},
    {"compare @/card.img --self-test --blocks 3 --confirm @/card.img", 2,
     "--blocks: must be a whole number from 4 to 60, or \"endless\", is 3"},
    {"compare @/card.img --confirm @/card.img", 2, "give exactly one of --formats exfat,hfs+j"},
    {"compare @/card.img --deviation misalinged --confirm @/card.img", 2,
     "--deviation misalinged: is not a deviation; did you mean \"misaligned\"?"},
    {"compare @/card.img --deviation hfs+ --confirm @/card.img", 2,
     "--deviation hfs+: is not a deviation; did you mean \"fs:hfs+\"?"},
    {"compare @/card.img --deviation slower --confirm @/card.img", 2,
     "--deviation slower: must be a deviation from the baseline, such as {\"cluster_size\": \"4KiB\"}, "
     "\"cluster_size:4KiB\", \"fs:hfs+\" or \"misaligned\", is \"slower\""},
    {"compare @/card.img --from @/card.img", 2, "--from measures nothing: leave out @/card.img"},
    {"compare --from @/card.img --formats exfat,fat32 --confirm x", 2,
     "--from measures nothing: leave out --confirm, --formats"},
    {"compare --media 1,2 --quick", 2, "--media measures nothing and reads no file: leave out --quick"},
    {"compare --media 1,2 --from -", 2, "--from measures nothing: leave out --media"},
    {"compare @/card.img --fs exfta --deviation misaligned --confirm @/card.img", 2, "--fs: unknown file system"},
    {"run", 2, "plan is required"},
    {"run @/none.json", 2, "@/none.json cannot be read: No such file or directory; check the name"},
    {"run @/plan.json --lanes 0", 2, "--lanes: 0 is out of range; the range is 1 to 64"},
    {"run @/plan.json --lanes 65", 2, "--lanes: 65 is out of range; the range is 1 to 64"},
    {"run @/plan.json --lanes x", 2, "--lanes: 'x' is not a number; the range is 1 to 64"},
    {"run @/plan.json --abandon last", 2, "plan excludes --abandon"},
    {"run --abandon last --resume", 2, "--resume excludes --abandon"},
    {"run --abandon last", 2, "@/none.db does not exist: run a campaign first, or name another store with --store"},
    {"run @/plan.json --resmue", 2, "run has no option --resmue; did you mean '--resume'?"},
    {"run @/plan.json --rig-script @/none", 2, "--rig-script: File does not exist: @/none"},
    {"run @/plan.json --config @/x.json", 2,
     "run has no option --config: it goes before the command, as in 'mediarig --config …'"},
    {"results", 2, "@/none.db does not exist: run a campaign first, or name another store with --store"},
    {"results --device", 2, "--device needs a value"},
    {"results --store", 2, "--store needs a value"},
    {"results --csv --json", 2,
     "--json and --csv cannot share standard output: give another file to one of them, as in --csv=FILE"},
    {"results --csv=@/t --json=@/t", 2,
     "--json and --csv cannot share @/t: give another file to one of them, as in --csv=FILE"},
    {"results --cvs", 2, "results has no option --cvs; did you mean '--csv'?"},
    {"report --otuput x", 2, "report has no option --otuput; did you mean '--output'?"},
    {"results ''", 2, "--campaign needs a value"},
    {"report last extra", 2, "report takes no further argument, and 'extra' is one"},
    {"campaigns --state runing", 2, "--state: 'runing' is not a choice; did you mean 'running'?"},
    {"campaigns --state finished delete 1", 2,
     "--state filters the list and does not apply to 'delete': leave it out, and name the campaigns"},
    {"campaigns delete", 2, "campaign is required"},
    {"campaigns export last", 2, "--output is required"},
    {"campaigns export 5 @/ex.db -o @/ex.db", 2, "campaign: At Most 1 required but received 2"},
    {"campaigns import", 2, "file is required"},
    {"campaigns import @", 2, "@ is a directory: name a file that 'mediarig campaigns export' wrote"},
    {"campaigns import @/none.db", 2, "@/none.db does not exist: check the name"},
    {"campaigns import @/plan.json", 2,
     "@/plan.json is not a mediarig store (not an SQLite database): name a file that 'mediarig "
     "campaigns export' wrote"},
    {"names give x", 2, "name is required"},
    {"names give BEEF last", 2, "'last' is not a nickname: it is reserved for campaigns; choose another one"},
    {"names give BEEF 17", 2, "'17' is not a nickname: it is reserved for campaigns; choose another one"},
    {"names give BEEF -x", 2, "names give has no option -x"},
    {"names forget nobody", 2, "no medium has the nickname 'nobody': 'mediarig names' lists them"},
    {"compare --from @/none", 2, "@/none cannot be read: No such file or directory; check the name"},
    {"compare --from ''", 2, "--from needs a value"},
    {"published show nothing", 2, "no published table is called 'nothing'; 'mediarig published' lists them all"},
    {"published show xben", 2, "no published table is called 'xben'; did you mean 'xbench'?"},
    {"published show bonnie-speds", 2, "no published table is called 'bonnie-speds'; did you mean 'bonnie-speeds'?"},
    {"names give '' x", 2, "'' is not a serial: it is empty"},
    {"run @/card.img", 2, "@/card.img is not a plan in JSON: name a plan file"},
    {"run @/card.img --dry-run", 2, "@/card.img is not a plan in JSON: name a plan file"},
    {"format @/card.img --fs ExFat --table MBR --partition-start 1MiB --confirm x --volume-id 12", 2,
     "--volume-id takes sixteen hexadecimal digits"},
    {"format @/card.img --profile SD --table mbr --confirm x", 2,
     "--table conflicts with --profile SD, which sets the same value"},
    {"verify @/card.img --confirm wrong", 4, "@/card.img may not be erased: the confirmation does not match"},
    {"lab build extra", 2, "lab build takes no further argument, and 'extra' is one"},
    {"lab info extra", 2, "lab info takes no further argument, and 'extra' is one"},
    {"lab cards extra", 2, "lab cards takes no further argument, and 'extra' is one"},
    {"lab stop extra", 2, "lab stop takes no further argument, and 'extra' is one"},
    {"lab devices extra", 2, "lab devices takes no further argument, and 'extra' is one"},
    {"lab shell extra", 2, "lab shell takes no further argument, and 'extra' is one"},
    {"published check extra", 2, "published check takes no further argument, and 'extra' is one"},
    {"rig find extra", 2, "rig find takes no further argument, and 'extra' is one"},
    {"rig home extra", 2, "rig home takes no further argument, and 'extra' is one"},
    {"rig reset extra", 2, "rig reset takes no further argument, and 'extra' is one"},
    {"rig stop extra", 2, "rig stop takes no further argument, and 'extra' is one"},
    {"rig park extra", 2, "rig park takes no further argument, and 'extra' is one"},
    {"rig watch extra", 2, "rig watch takes no further argument, and 'extra' is one"},
    {"rig enclosures extra", 2, "rig enclosures takes no further argument, and 'extra' is one"},
    {"rig uplinks extra", 2, "rig uplinks takes no further argument, and 'extra' is one"},
    {"lab unplug", 2, "slot is required"},
    {"lab unplug first", 2, "slot: 'first' is not a number"},
    {"lab insert", 2, "card is required"},
    {"lab eject first", 2, "slot: 'first' is not a number"},
    {"campaigns plan", 2, "@/none.db: the store contains no campaign: run a campaign first"},
    {"campaigns plan 1 2", 2, "campaign: At Most 1 required but received 2"},
    {"lab plug", 2, "card is required"},
    {"lab plug no-such-card --kind usb", 3, "no lab runs: start one with 'mediarig lab start'"},
    {"lab fault 1", 2, "Exactly 1 option from [--bad,--heal,--corrupt] is required"},
    {"lab fault 1 --bad 1+1 --on neither", 2, "--on: 'neither' is not a choice; choose one of read, write, both"},
    {"lab power-cut 1 --lose some", 2, "--lose: 'some' is not a choice; choose one of all, subset"},
    {"lab status", 3, "no lab runs: start one with 'mediarig lab start'"},
    {"rig load", 2, "POCKET is required"},
    {"rig load 0", 2, "POCKET: 0 is out of range; the range is 1 to 30"},
    {"rig power 1 perhaps", 2, "STATE: 'perhaps' is not a choice; choose one of on, off"},
    {"rig nest --pocket 0", 2, "--pocket: 0 is out of range; the range is 1 to 30"},
    {"rig unload --to bin", 2, "--to: At least 2 required but received 1"},
    {"rig power", 2, "--port is required"},
    {"rig power 9 on", 2, "--port: 9 is out of range; the range is 1 to 8"},
    {"rig power on", 2, "--port: 'on' is not a number; the range is 1 to 8"},
    {"rig empty", 2, "--port is required"},
    {"rig empty 9", 2, "--port: 9 is out of range; the range is 1 to 8"},
    {"rig jog y 3", 2, "AXIS: 'y' is not a choice; did you mean 'x'?"},
    {"rig jog x", 2, "STEPS is required"},
    {"rig jog x abc", 2, "STEPS: 'abc' is not a number; the range is 0 to 1000000"},
    {"rig counters extra", 2, "rig counters takes no further argument, and 'extra' is one"},
    {"rig bootloader extra", 2, "rig bootloader takes no further argument, and 'extra' is one"},
    {"rig unload --port 0", 2, "--port: 0 is out of range; the range is 1 to 8"},
    {"rig nest 31", 2, "--pocket: 31 is out of range; the range is 1 to 30"},
    {"rig status --rig simm", 2, "there is no rig 'simm'; did you mean 'sim'?"},
    {"wathc", 2, "there is no command 'wathc'; did you mean 'watch'?"},
    {"watch nothing", 2, "the store contains no campaign: run a campaign first"},
    {"watch last extra", 2, "watch takes no further argument, and 'extra' is one"},
    {"repaly", 2, "there is no command 'repaly'; did you mean 'replay'?"},
    {"replay", 2, "@/none.db: the store contains no campaign: run a campaign first"},
    {"replay --jsno", 2, "replay has no option --jsno; did you mean '--json'?"},
    {"config show", 2, "config takes no further argument, and 'show' is one"},
    {"config --jsno", 2, "config has no option --jsno; did you mean '--json'?"},
    {"names list", 2, "there is no command 'names list'"},
    {"names give @/none blue", 2, "@/none: no such device, image or directory; 'mediarig devices' lists the devices"},
    {"bash-completion extra", 2, "bash-completion takes no further argument, and 'extra' is one"},
    {"published show", 2, "TABLE is required"},
    {"compare --media", 2, "--media needs a value"},
    {"compare --media last", 2, "@/none.db: the store contains no campaign: run a campaign first"},
    {"compare --media last --from @/none", 2, "--from measures nothing: leave out --media"},
    {"rig gage-stduy", 2, "there is no command 'rig gage-stduy'; did you mean 'gage-study'?"},
    {"rig gage-study", 2, "--cell is required"},
    {"rig control-chart", 2, "--cell is required"},
    {"rig qualify-hub", 2, "PORT is required"},
    {"rig qualify-hub usb2", 2, "\"usb2\" is not a USB path: give bus and ports, such as 1-1.4.2"},
    {"rig hub-power 1-1 onn", 2, "STATE: 'onn' is not a choice; did you mean 'on'?"},
    {"rig plug desk on", 2, "\"desk\" is not a plug: a part is missing"},
    {"rig plug tasmota:a@localhost maybe", 2, "WHAT: 'maybe' is not a choice; choose one of on, off, read"},
    {"rig wear --replaced 99", 2, "--replaced: 99 is out of range; the range is 1 to 8"},
    {"rig cycle-enclosure", 2, "ID is required"},
    {"rig cycle-enclosure x", 2, "--disk is required"},
    {"rig sim --pockets x", 2, "--pockets: 'x' is not a number; the range is 0 to 30"},
    {"lab start --slots foo", 2, "unknown kind of slot 'foo': use one of sd, usb, hub, reader, uas, nvme"},
    {"--confg x devices", 2, "devices has no option --confg; did you mean '--config'?"},
    {"--config @/none.json devices", 2, "@/none.json cannot be read: No such file or directory; check the name"},
};

} // namespace

TEST_CASE("each of a hundred user errors gives one line with the documented status and, if possible, a suggestion") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    write_file(folder / "plan.json", "{}");
    CHECK(std::size(mistakes) >= 100);
    for (const Mistake& mistake : mistakes) {
        CAPTURE(mistake.words);
        const ProgramOutput output =
            call_mediarig(typed_words(mistake.words, folder), folder.path(),
                          {"MEDIARIG_STORE=" + (folder / "none.db").string(), "MEDIARIG_AGENT=local",
                           "XDG_DATA_HOME=" + folder.path().string(), "MEDIARIG_LAB_DIR=" + (folder / "lab").string()});
        CAPTURE(output.out, output.err);
        CHECK(output.status == mistake.status);
        CHECK(output.out.empty());
        CHECK(std::ranges::count(output.err, '\n') == 1);
        CHECK_THAT(output.err, ContainsSubstring("mediarig: " + with_folder(mistake.line, folder)));
    }
}

namespace {

/// The words that a help text lists below "Subcommands:".
std::vector<std::string> commands_below(const std::string& help) {
    std::vector<std::string> names;
    std::istringstream lines(help.substr(std::min(help.find("Subcommands:"), help.size())));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
}

} // namespace

TEST_CASE("the list contains user errors for every group of commands") {
    const Folder folder;
    const auto is_met = [](const std::string& command) {
        return std::ranges::any_of(
            mistakes, [&](const Mistake& mistake) { return (mistake.words + ' ').starts_with(command + ' '); });
    };
    std::size_t count = 0;
    for (const std::string& command : commands_below(call_mediarig({"help"}, folder.path()).out)) {
        CAPTURE(command);
        CHECK(is_met(command));
        ++count;
        for (const std::string& part : commands_below(call_mediarig({"help", command}, folder.path()).out)) {
            CAPTURE(part);
            CHECK(is_met(command + ' ' + part));
            ++count;
        }
    }
    CHECK(count >= 60);
}
