# SPDX-License-Identifier: GPL-3.0-or-later
"""conversation.py AGENT SCHEMA FOLDER: talks with a real agent about an image file made in FOLDER, as a controller that
shares no code with ours, and checks every line of both sides against the published schema.
Exit 0: no fault; 1: a fault, described on standard error; 77: not possible on this machine (reason: standard output)."""
import base64
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def closed(schema):
    """Returns the schema without additional members: each member that the schema does not name is a fault."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(part) for name, part in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        result.setdefault("additionalProperties", False)
    return result


class Conversation:
    def __init__(self, agent, schema, folder):
        jsonschema.Draft7Validator.check_schema(schema)
        self.schema = closed(schema)
        self.heard, self.methods, self.faults = set(), set(), []
        self.agent = subprocess.Popen([agent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                      env={**os.environ, "MEDIARIG_UNDO_DIR": os.path.join(folder, "undo")})
        self.last_id = 0
        self.notes = []

    def judge(self, value, definition):
        schema = {"$ref": "#/definitions/" + definition, "definitions": self.schema["definitions"]}
        for fault in jsonschema.Draft7Validator(schema).iter_errors(value):
            best = jsonschema.exceptions.best_match([fault])
            self.faults.append(f"{definition}: {best.json_path}: {best.message[:300]}")

    def read(self):
        line = self.agent.stdout.readline()
        if not line:
            raise SystemExit("the agent ended too early")
        return json.loads(line)

    def say(self, line):
        self.agent.stdin.write(line)

    def wait_for(self, request_id, method):
        self.notes = []
        while True:
            message = self.read()
            if "method" in message:
                self.judge(message, "notification")
                self.heard.add(message["method"])
                self.notes.append(message)
                continue
            if message["id"] != request_id:
                self.faults.append(f"an answer to {message['id']} instead of {request_id}")
            if "error" in message:
                self.judge(message, "error")
                self.heard.add(message["error"]["code"])
            else:
                self.judge(message, "answer")
                self.judge(message["result"], method + "_result")
                self.methods.add(method)
            return message

    def ask(self, method, params=None, fits=True):
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        if params is not None:
            request["params"] = params
        if fits:
            self.judge(request, "request")
        self.say(json.dumps(request).encode() + b"\n")
        return self.wait_for(self.last_id, method)

    def need(self, method, params=None):
        answer = self.ask(method, params)
        if "error" in answer:
            raise SystemExit(f"{method} failed: {answer['error']['message']}")
        return answer["result"]


def unpacked(data):
    """The numbers of a samples notification, decoded as docs/reference/agent-protocol.md describes."""
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(data, validate=True):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value, shift = 0, 0
    return numbers


def cell(name, access):
    return {"id": name, "table": "t", "access": access, "block": 4096, "volume": 65536, "time_limit_ns": 60 * 10**9}


def talk_about_media(talk, image):
    claim = talk.need("claim", {"target": image, "confirm": image})["claim"]
    talk.need("discard", {"claim": claim})
    talk.need("format", {"claim": claim, "format": {"fs": "exfat", "cluster_size": 32768, "label": "CARD"}})
    talk.need("inspect", {"target": image})
    sweep = {"suite": "tiny", "sweep": {"span": 1 << 20, "cells": [cell("w", "seq_write"), cell("r", "random_read")]},
             "keep_raw_log": True, "payload": {"kind": "given", "given": "00ff"}}
    verify = {"suite": "verify", "verify": {"span": 1 << 20, "chunk": 1 << 16, "generation": 2}}

    mounted = talk.ask("mount", {"claim": claim, "fs": "exfat"})
    if "result" in mounted:
        talk.need("wait_idle", {"claim": claim})
        talk.need("run", {"claim": claim, "job": sweep, "done": [{"id": "w"}]})
        talk.need("unmount", {"claim": claim})
        talk.need("check", {"claim": claim, "fs": "exfat"})
    talk.need("run", {"claim": claim, "raw": True, "job": sweep})
    samples = [note["params"] for note in talk.notes if note["method"] == "samples"]
    for name in ("w", "r"):
        numbers = sum((unpacked(chunk["data"]) for chunk in samples if chunk["cell"] == name), [])
        if len(numbers) != 16 or min(numbers) <= 0:
            talk.faults.append(f"16 operations of {name}, but these latencies: {numbers}")
    talk.need("run", {"claim": claim, "raw": True, "job": verify})
    talk.need("run", {"claim": claim, "raw": True, "job": {"suite": "check", "probe": {"assumed_cache": 1 << 20, "keeps_data": True}}})
    talk.ask("restore", {"claim": claim, "mode": "unchanged"})  # nothing to restore: an error
    talk.need("cancel", {"request": "nothing"})
    talk.need("release", {"claim": claim})
    return "result" in mounted


def main():
    agent, schema_file, folder = sys.argv[1:]
    with open(schema_file, encoding="utf-8") as file:
        talk = Conversation(agent, json.load(file), folder)
    image = os.path.join(folder, "card.img")
    with open(image, "wb") as file:
        file.truncate(64 << 20)

    talk.ask("devices")
    hello = talk.need("hello", {"protocol": 1, "controller": "conversation.py"})
    talk.need("devices")
    talk.need("identify", {"target": image})
    talk.need("inspect", {"target": image})
    talk.need("smart", {"target": image})
    talk.need("card_health", {"target": image})
    scanned = "result" in talk.ask("scan", {"target": image, "time_limit_ns": 10**8})  # not on tmpfs
    for fs in ("exfat", "apfs", "hfs+j", "fat32"):
        talk.need("support", {"fs": fs, "partition": True, "mount": True})
    talk.ask("fly", {}, fits=False)
    talk.ask("identify", {}, fits=False)
    talk.ask("identify", {"target": "/nowhere"})
    for line in (b"{\n", b"[]\n", b"x" * ((8 << 20) + 1) + b"\n"):
        talk.say(line)
        talk.wait_for(None, "none")

    # Messages that the schema must reject.
    for message in ({"jsonrpc": "2.0", "id": 1, "method": "format", "params": {"claim": 1}},
                    {"jsonrpc": "2.0", "id": 1.5, "method": "devices"},
                    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no errc"}}):
        if jsonschema.Draft7Validator(talk.schema).is_valid(message):
            talk.faults.append(f"the schema accepts an invalid message: {message}")

    expected = {"hello", "devices", "identify", "inspect", "smart", "card_health", "support"} | ({"scan"} if scanned else set())
    if hello["privileged"] and os.path.exists("/dev/loop-control") and hello["tools"]["mkfs.exfat"]:
        mounted = talk_about_media(talk, image)
        expected |= {"claim", "discard", "format", "run", "cancel", "release"}
        if mounted:
            expected |= {"mount", "wait_idle", "unmount", "check"}
        if not {"cell", "samples"} <= talk.heard:
            talk.faults.append(f"no cells or no samples were received: {talk.heard}")
    if not {-32700, -32600, -32601, -32602, -32000, -32001, -32002} <= talk.heard:
        talk.faults.append(f"not every error code was received: {talk.heard}")
    if talk.methods != expected:
        talk.faults.append(f"answered were {sorted(talk.methods)}, not {sorted(expected)}")

    talk.agent.stdin.close()
    if talk.agent.wait(60) != 0:
        talk.faults.append("the agent did not end with status 0")
    for fault in talk.faults:
        print(fault, file=sys.stderr)
    return 1 if talk.faults else 0


sys.exit(main())
