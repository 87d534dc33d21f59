#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Behaves like uhubctl 2.5.0 on faulty hubs. Called as `uhubctl -N -e -l HUB -p PORT [-a on|off]`; hub.json next to it
contains the hubs, the devices, the faults, and the state of the ports. The links of the devices below `sys` appear and
vanish with it.

Faults in "trouble", with the number of their report at github.com/mvp/uhubctl:
  keeps_data      ports that report off, and whose devices stay                       (660)
  ignores         ports that stay on, and report this                                 (211)
  batch           port -> ports that are switched with it                             (82)
  repowers_after  a port is on again after this number of queries while off           (90, 93)
  loses           ports whose device does not return before the hub is plugged again  (173)
  refuses         ports whose request the hub stalls
  permission      the device nodes may not be opened
"""
import json
import os
import sys

PLACE = os.path.dirname(os.path.abspath(__file__))
STATE = os.path.join(PLACE, "hub.json")


def ending(message, status):
    sys.stderr.write(message)
    sys.exit(status)


def path_of(hub, port):
    return f"{hub}{'.' if '-' in hub else '-'}{port}"


def show_devices(state):
    """Each device is at the first of its places whose port carries data."""
    trouble = state["trouble"]
    for device in state["devices"]:
        chosen = None
        for hub, port in device["places"]:
            on = port in state["hubs"][hub]["on"] or port in trouble.get("keeps_data", [])
            if on and chosen is None and not device.get("lost"):
                chosen = path_of(hub, port)
        if chosen is None and device["places"][0][1] in trouble.get("loses", []):
            device["lost"] = True
        for hub, port in device["places"]:
            path = path_of(hub, port)
            shown, hidden = (os.path.join(state["sys"], "bus/usb/devices", name) for name in (path, "." + path))
            if path == chosen and os.path.lexists(hidden):
                os.rename(hidden, shown)
            if path != chosen and os.path.lexists(shown):
                os.rename(shown, hidden)


def port_line(state, hub, port):
    data = state["hubs"][hub]
    here = [d for d in state["devices"] if [hub, port] in d["places"]
            and os.path.lexists(os.path.join(state["sys"], "bus/usb/devices", path_of(hub, port)))]
    what = f" [{here[0]['id']}]" if here else ""
    on = port in data["on"]
    if data["usb"] == "2.10":
        if not on:
            return f"  Port {port}: 0000 off\n"
        return f"  Port {port}: 0503 power highspeed enable connect{what}\n" if here else f"  Port {port}: 0100 power\n"
    if not on:
        return f"  Port {port}: 0080 off\n"
    return (f"  Port {port}: 0203 power 5gbps U0 enable connect{what}\n" if here
            else f"  Port {port}: 02a0 power 5gbps Rx.Detect\n")


def main():
    arguments = sys.argv[1:]
    with open(STATE, encoding="utf-8") as file:
        state = json.load(file)
    state.setdefault("calls", []).append(" ".join(arguments))
    if arguments[:3] != ["-N", "-e", "-l"] or arguments[4] != "-p":
        ending("Invalid command line syntax!\nRun with -h to get usage info.\n", 1)
    hub, port = arguments[3], int(arguments[5])
    action = arguments[7] if len(arguments) == 8 and arguments[6] == "-a" else None
    trouble = state["trouble"]
    if trouble.get("permission"):
        ending("There were permission problems while accessing USB.\nFollow https://git.io/JIB2Z for a fix!\n"
               f"No compatible devices detected at location {hub}!\nRun with -h to get usage info.\n", 1)
    if hub not in state["hubs"] or state["hubs"][hub]["switching"] != "ppps":
        ending(f"No compatible devices detected at location {hub}!\nRun with -h to get usage info.\n", 1)
    data = state["hubs"][hub]
    name = f"{hub} [{data['id']}, USB {data['usb']}, {data['ports']} ports, {data['switching']}]"
    sys.stdout.write(f"Current status for hub {name}\n{port_line(state, hub, port)}")
    if action is None:
        if port not in data["on"] and "repowers_after" in trouble:
            data["looks"] = data.get("looks", 0) + 1
            if data["looks"] >= trouble["repowers_after"]:
                data["on"].append(port)
    else:
        if port in trouble.get("refuses", []):
            sys.stderr.write("Failed to control port power!\n: Broken pipe\n")
        elif port not in trouble.get("ignores", []):
            data["looks"] = 0
            for each in trouble.get("batch", {}).get(str(port), [port]):
                if action == "off" and each in data["on"]:
                    data["on"].remove(each)
                if action == "on" and each not in data["on"]:
                    data["on"].append(each)
        show_devices(state)
        sys.stdout.write(f"Sent power {action} request\nNew status for hub {name}\n{port_line(state, hub, port)}")
    show_devices(state)
    with open(STATE + ".new", "w", encoding="utf-8") as file:
        json.dump(state, file)
    os.rename(STATE + ".new", STATE)


if __name__ == "__main__":
    main()
