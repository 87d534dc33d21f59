// SPDX-License-Identifier: GPL-3.0-or-later
/// Proves every rule of the audit with a seeded defect, and prints the table of defects.
import assert from "node:assert/strict";
import { Board } from "../../../firmware/harness/board.mjs";
import { Stopped } from "../../../firmware/harness/machine.mjs";
import { defects } from "./defects.mjs";
import { encode } from "./link.mjs";
import { files } from "./files.mjs";
import { tryStock } from "./stock.mjs";
import test from "./sample.mjs";

/** A HELLO; each with a new nonce, since the board drops repeated ones. */
let session = 0x4711;
const hello = () => encode({ kind: 0, session: session++, seq: 1, op: 1, payload: [1, 0, 0, 0, 0] });
const lines = [];

/** Opens both ports and sends a HELLO on each, twice, so that toggles must change. */
function use(board) {
  const opened = board.boot(400e6);
  for (const write of ["writeUart", "writeUart", "writeUsb", "writeUsb"]) {
    board[write](hello());
    board.machine.run(20e6);
  }
  board.audit();
  return opened;
}

function audit(defect) {
  let board;
  try {
    board = new Board({ ...files, pockets: 4, ports: 2, ...defect, ...defect.fresh?.() });
    use(board);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (!board) return error.message.split(":").slice(0, 1);
  }
  return board.findings.rules;
}

test("the image itself breaks no rule", () => {
  const board = new Board({ ...files, pockets: 4, ports: 2 });
  assert.ok(use(board), "the serial port over USB never opens");
  assert.equal(board.findings.toString(), "");
});

for (const defect of defects) {
  test(`${defect.name}: ${defect.rule}`, () => {
    const found = audit(defect);
    const stock = tryStock({ ...files, hello, ...defect, ...defect.fresh?.() });
    lines.push(`| ${defect.name} | ${stock} | ${defect.rule}${found.length > 1 ? ` (+${found.length - 1})` : ""} |`);
    assert.ok(found.includes(defect.rule), `the audit says ${found.join(", ") || "nothing"}`);
  });
}

test("edges too fast for the parts on the pins are detected: pulse-too-short", () => {
  const board = new Board({ ...files, pockets: 4, ports: 2 });
  board.plant.drive(1000, 9, true);
  board.plant.drive(1016, 9, false);
  assert.ok(board.audit().has("pulse-too-short"));
});

test.after(() => console.log(["| Defect | Stock emulator | Audit |", "|---|---|---|", ...lines].join("\n")));
