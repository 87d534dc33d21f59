# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes users, and their folders with images, links and secrets. unprivileged_caller.py attacks and compares them."""
import hashlib
import os
import shutil
import stat
import subprocess
import sys

CALLER, CALLER_GROUP, SHARED_GROUP, RULE_GROUP = 61001, 61002, 61003, 61004
NEIGHBOUR, NEIGHBOUR_GROUP = 61011, 61012


def cannot(why):
    print(why)
    sys.exit(77)


def make(path, owner, mode, contents=None, size=None, group=None):
    """Creates a file with these contents, or a folder if there are none, for this owner."""
    if contents is None and size is None:
        os.mkdir(path)
    else:
        with open(path, "wb") as file:
            file.write(contents or b"")
            if size is not None:
                file.truncate(size)
    os.chown(path, owner, owner + 1 if owner else 0 if group is None else group)
    os.chmod(path, mode)
    return path


class World:
    """Folders of the caller, of a neighbour and of root.

    Sizes and labels of files that the caller cannot read occur in no other file."""

    def __init__(self, top):
        self.top = top
        os.chmod(top, 0o755)
        self.secrets = []
        self.hidden = []  # pairs of paths in folders that the caller may not enter: one path exists, the other does not
        self.mine = make(top + "/mine", CALLER, 0o755)
        for name in ("card.img", "swap.img", "other.img"):
            make(f"{self.mine}/{name}", CALLER, 0o600, size=16 << 20)
        make(self.mine + "/read-only.img", CALLER, 0o400, size=16 << 20)
        for name in ("work", "spin", "plant", "calm"):
            make(f"{self.mine}/{name}", CALLER, 0o755)
        make(self.mine + "/locked", CALLER, 0o500)
        self.closed = [self.closed_folder("neighbour", NEIGHBOUR), self.closed_folder("root", 0)]
        self.open = [self.open_folder("neighbour", NEIGHBOUR), self.open_folder("root", 0)]
        self.sticky = make(top + "/sticky", 0, 0o1777)
        make(self.sticky + "/neighbours.img", NEIGHBOUR, 0o600, size=16 << 20)
        make(top + "/shared.img", NEIGHBOUR, 0o660, size=16 << 20)
        os.chown(top + "/shared.img", NEIGHBOUR, SHARED_GROUP)
        self.plant_links()
        self.protected = self.closed + self.open + [self.sticky + "/neighbours.img", top + "/etc", top + "/bin"]

    def closed_folder(self, name, owner):
        folder = make(f"{self.top}/{name}-closed", owner, 0o700)
        number = 1 + len(self.secrets)
        size = (9 << 20) + 4099 * number
        label = f"HIDDEN{number:03}"
        for mode, image in ((0o600, "card.img"), (0o666, "open.img")):
            self.image(f"{folder}/{image}", owner, mode, size, label)
            self.hidden.append((f"{folder}/{image}", f"{folder}/{image[:-5]}x.img"))
        make(folder + "/folder", owner, 0o777)
        self.hidden.append((folder + "/folder", folder + "/holder"))
        make(folder + "/folder/inner", owner, 0o666, b"inner")
        self.secrets += [str(size), label]
        return folder

    def open_folder(self, name, owner):
        folder = make(f"{self.top}/{name}-open", owner, 0o755)
        self.image(folder + "/card.img", owner, 0o600, 17 << 20, f"CLOSED{owner}")
        self.image(folder + "/readable.img", owner, 0o644, 16 << 20, "READABLE")
        make(folder + "/notes", owner, 0o600, b"notes")
        make(folder + "/strange-group.img", owner, 0o660, size=16 << 20)
        make(folder + "/sub", owner, 0o755)
        make(folder + "/sub/file", owner, 0o644, b"file")
        self.secrets.append(f"CLOSED{owner}")
        return folder

    @staticmethod
    def image(path, owner, mode, size, label):
        make(path, owner, mode, size=size)
        if shutil.which("mkfs.exfat"):
            subprocess.run(["mkfs.exfat", "-L", label, path], check=True, stdout=subprocess.DEVNULL)

    def plant_links(self):
        targets = [path for pair in self.hidden for path in pair]
        for folder in self.open:
            targets += [folder, folder + "/card.img", folder + "/readable.img", folder + "/notes"]
        targets += ["/etc/shadow", "/proc/self/fd/3", "/proc/self/root/etc/shadow", "/dev/null", "loop-a"]
        self.links = []
        for number, target in enumerate(targets):
            link = f"{self.mine}/link-{number}"
            os.symlink(target, link)
            self.links.append(link)
        # The same pairs again, through links in the caller's folder.
        for number in range(0, 2 * len(self.hidden), 2):
            self.hidden.append((f"{self.mine}/link-{number}", f"{self.mine}/link-{number + 1}"))
        os.symlink("loop-b", self.mine + "/loop-a")
        os.symlink("loop-a", self.mine + "/loop-b")
        os.mkfifo(self.mine + "/fifo")
        os.mkfifo(self.mine + "/swap.fifo")
        for name in ("fifo", "swap.fifo"):
            os.chown(f"{self.mine}/{name}", CALLER, CALLER_GROUP)
        os.symlink(self.hidden[0][0], self.mine + "/swap.secret")
        os.symlink(self.open[0] + "/card.img", self.mine + "/swap.link")
        os.symlink(self.open[0] + "/sub", self.mine + "/spin.link")
        for number, folder in enumerate(self.open + self.closed):
            for where in (self.mine + "/plant", self.mine + "/work", self.sticky):
                name = f"{where}/mediarig-work-{number:016x}"
                os.symlink(folder, name)
                os.lchown(name, CALLER, CALLER_GROUP)
        owned = make(self.sticky + "/mediarig-work-00000000000000ff", CALLER, 0o700)
        os.symlink(self.open[1] + "/notes", owned + "/notes")

    def targets(self):
        found = list(self.links) + self.open + self.closed + [self.sticky, self.mine, self.top]
        for pair in self.hidden:
            found += pair
        for folder in self.open:
            found += [folder + "/card.img", folder + "/readable.img", folder + "/notes", folder + "/sub"]
        found += [f"{self.mine}/{name}" for name in (
            "card.img", "swap.img", "swap.link", "swap.fifo", "swap.secret", "other.img", "read-only.img", "work", "spin", "spin.link", "plant",
            "locked", "fifo", "loop-a", "absent", "card.img ", "card.img/", "./card.img", "../neighbour-open/card.img")]
        found += [self.sticky + "/neighbours.img", "card.img", "../mine/card.img", "", ".", "/", "x" * 5000, "/\u202egmi",
                  self.mine + "/card.img\u0000.txt", self.mine + "/\x1b[31m", self.mine + "/" + "/".join("d" * 3000)]
        found += ["/dev/null", "/dev/zero", "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/loop-control", "/dev/fuse",
                  "/dev/stdin", "/dev/fd/3", "/dev/../etc/shadow", "/dev", "/dev/shm"]
        found += ["/proc/self/" + name for name in ("fd/3", "fd/5", "exe", "mem", "environ", "maps", "cwd", "root",
                                                    "root/etc/shadow", "fd", "task")]
        found += ["/proc/1/" + name for name in ("root/etc/shadow", "environ", "mem", "cwd", "exe", "fd/0", "maps")]
        found += ["/etc/shadow", "/etc/sudoers", "/etc/passwd", "/etc", "/root", "/root/.bashrc", "/run", "/sys",
                  "/proc/kcore", "/proc/sysrq-trigger", "/sys/power/state", self.top + "/bin/mediarig-agent"]
        found += ["/dev/" + name for name in sorted(os.listdir("/sys/block"))[:4]]
        return found

    def state(self):
        """Returns attributes and contents of each protected file, without the access time."""
        said = {}
        for top in self.protected:
            said[top] = self.state_of(top)
            for folder, names, files in os.walk(top):
                for name in names + files:
                    said[f"{folder}/{name}"] = self.state_of(f"{folder}/{name}")
        return said

    @staticmethod
    def state_of(path):
        at = os.lstat(path)
        facts = [at.st_dev, at.st_ino, at.st_mode, at.st_uid, at.st_gid, at.st_nlink, at.st_size, at.st_mtime_ns,
                 at.st_ctime_ns]
        if stat.S_ISREG(at.st_mode):
            with open(path, "rb") as file:
                facts.append(hashlib.sha256(file.read()).hexdigest())
        return facts

    def foreign_files_among_his(self):
        """Returns root's files in the caller's folder. Links are not followed, so exchanged names do no harm."""
        return [f"{folder}/{name}" for folder, names, files in os.walk(self.mine) for name in names + files
                if os.lstat(f"{folder}/{name}").st_uid == 0 and not os.path.islink(f"{folder}/{name}")]

    def protected_inodes(self):
        return {(facts[0], facts[1]) for facts in self.state().values()}


def set_up_users(top, agent, example):
    """Users, groups and the example rule, in this mount namespace only."""
    etc, program = make(top + "/etc", 0, 0o755), make(top + "/bin", 0, 0o755) + "/mediarig-agent"
    shutil.copy(agent, program)
    os.chmod(program, 0o755)
    added = {
        "passwd": f"caller:x:{CALLER}:{CALLER_GROUP}::/:/bin/sh\nneighbour:x:{NEIGHBOUR}:{NEIGHBOUR_GROUP}::/:/bin/sh\n",
        "group": f"caller:x:{CALLER_GROUP}:\nneighbour:x:{NEIGHBOUR_GROUP}:\nmediarig:x:{RULE_GROUP}:caller\n"
                 f"shared:x:{SHARED_GROUP}:neighbour,caller\n",
        "shadow": "caller:*:19000:0:99999:7:::\nneighbour:*:19000:0:99999:7:::\n"}
    files = {}
    for name, lines in added.items():
        with open("/etc/" + name, encoding="utf-8") as file:
            files[name] = file.read() + lines
    with open(example, encoding="utf-8") as file:
        files["sudoers"] = file.read().replace("/usr/bin/mediarig-agent", program)
    for name, contents in files.items():
        make(f"{etc}/{name}", 0, {"sudoers": 0o440, "shadow": 0o640}.get(name, 0o644), contents.encode())
        if subprocess.run(["mount", "--bind", f"{etc}/{name}", "/etc/" + name], check=False).returncode != 0:
            cannot("cannot bind a file over /etc/" + name)
    return program
