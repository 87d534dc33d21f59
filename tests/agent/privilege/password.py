# SPDX-License-Identifier: GPL-3.0-or-later
"""password.py MEDIARIG AGENT SUDOERS_EXAMPLE

A user who may become root with a password sends requests through real sudo. On a terminal the program prints the
reason, sudo asks for the password, and then the device is opened. After a wrong password or Ctrl-C, mediarig ends
with one line. Without a terminal the message names `sudo -v`. Runs as root, in a private mount namespace. Exit 0: no
fault; 1: a fault, described on standard error; 77: not possible on this machine (reason: standard output)."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time

from world import CALLER, CALLER_GROUP, cannot, make, set_up_users

PASSWORD = "correct horse"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "TERM": "dumb"}


def let_him_in(top):
    """A password for the caller, and a rule that permits becoming root with it."""
    hashed = subprocess.run(["openssl", "passwd", "-6", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
    with open("/etc/shadow", encoding="utf-8") as file:
        shadow = file.read().replace("caller:*:", f"caller:{hashed}:")
    rules = "Defaults passwd_tries=1, lecture=never\nroot ALL=(ALL) ALL\ncaller ALL=(root) ALL\n"
    for name, contents, mode in (("shadow", shadow, 0o640), ("sudoers", rules, 0o440)):
        path = make(f"{top}/{name}-with-password", 0, mode, contents.encode())
        if subprocess.run(["mount", "--bind", path, "/etc/" + name], check=False).returncode != 0:
            cannot("cannot bind a file over /etc/" + name)


def become_caller():
    os.setgroups([])
    os.setgid(CALLER_GROUP)
    os.setuid(CALLER)


def on_terminal(command, typed):
    """Types at the password prompt; returns the output and the exit status."""
    process, terminal = pty.fork()
    if process == 0:
        become_caller()
        os.execve(command[0], command, ENVIRONMENT)
    said, tries = b"", 0
    while True:
        if select.select([terminal], [], [], 5)[0]:
            try:
                more = os.read(terminal, 4096)
            except OSError:
                break
            if not more:
                break
            said += more
        # Right after its prompt sudo may lose typed characters: they are typed again, as a user would do.
        elif tries == 12:
            raise SystemExit(f"nothing more after {said!r}")
        elif tries > 0:
            os.write(terminal, typed)
            tries += 1
        if tries == 0 and b"password for caller: " in said:
            while termios.tcgetattr(terminal)[3] & termios.ECHO:
                time.sleep(0.01)
            time.sleep(0.3)
            os.write(terminal, typed)
            tries = 1
    return said.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def main(mediarig, agent, example):
    if not shutil.which("sudo") or not shutil.which("openssl"):
        cannot("sudo and openssl are not both on this machine")
    top = tempfile.mkdtemp(prefix="mediarig-password-")
    device, wrong = "", []
    try:
        os.chmod(top, 0o755)
        program = os.path.join(os.path.dirname(set_up_users(top, agent, example)), "mediarig")
        shutil.copy(mediarig, program)
        let_him_in(top)
        image = make(top + "/card.img", 0, 0o600, size=16 << 20)
        attached = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True, check=False)
        if attached.returncode != 0:
            cannot("no loop device: " + attached.stderr.strip())
        device = attached.stdout.strip()
        inspect = [program, "inspect", device]
        reason = f"mediarig needs root to open {device}.\n[sudo] password for caller: "

        def check(name, said, status, begins, contains, wanted):
            if not said.startswith(begins) or not re.search(contains, said) or status != wanted:
                wrong.append(f"{name}: status {status}, {said!r}")

        without = subprocess.run(inspect, preexec_fn=become_caller, env=ENVIRONMENT, capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL, start_new_session=True, timeout=120, check=False)
        check("no terminal", without.stderr, without.returncode, "mediarig: ",
              "may not be opened.*; run 'sudo -v' first, or start mediarig as root\n", 3)
        by_name = subprocess.run(inspect + ["--agent", "sudo"], preexec_fn=become_caller, env=ENVIRONMENT, text=True,
                                 capture_output=True, stdin=subprocess.DEVNULL, start_new_session=True, timeout=120, check=False)
        check("--agent sudo, no terminal", by_name.stderr, by_name.returncode, "mediarig: sudo asks for a password: ",
              "run 'sudo -v' first, or start mediarig as root\n", 3)
        check("a wrong password", *on_terminal(inspect, b"wrong\n"), reason,
              f"\nmediarig: sudo did not grant root to open {device}: .*\n", 3)
        check("Ctrl-C", *on_terminal(inspect, b"\x03"), reason, "\nmediarig: interrupted from the keyboard before anything had begun\n", 3)
        check("the password", *on_terminal(inspect, PASSWORD.encode() + b"\n"), reason, f"\n{device}: .*16.8 MB(?s:.*)problem: empty: ", 1)
        listed, status = on_terminal([program, "devices"], b"")
        if "[sudo]" in listed or status != 0:
            wrong.append(f"a list needs no password: {listed!r}")
    finally:
        if device:
            subprocess.run(["losetup", "-d", device], check=False)
        for name in ("shadow", "sudoers", "passwd", "group", "shadow", "sudoers"):
            subprocess.run(["umount", "-q", "/etc/" + name], check=False)
        shutil.rmtree(top)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
