// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig on the bench: board, plant, host and an oscilloscope on every pin, in lock-step.
import assert from "node:assert/strict";
import { Board } from "../../../firmware/harness/board.mjs";
import { Trace } from "../../../firmware/harness/trace.mjs";
import { files } from "./files.mjs";
import { Link, op, state } from "./link.mjs";

export const pin = { xStep: 2, xDir: 3, zStep: 4, zDir: 5, motorsOff: 6, outputsOff: 7, latch: 10, safetyOk: 22 };
export const ms = 1e6, us = 1e3;

export function bench({ pockets = 8, ports = 4, carrier = "usb" } = {}) {
  const trace = new Trace();
  const edges = [];
  for (const which of [pin.xStep, pin.xDir, pin.zStep, pin.zDir, pin.motorsOff, pin.outputsOff, pin.safetyOk])
    trace.watch(which, (time, level) => edges.push({ time, pin: which, level }));
  const board = new Board({ ...files, pockets, ports, start: 100, trace }); // close to its flag: homing is short
  assert.ok(board.boot(), "the serial port over USB never opens");
  const link = new Link(board, { carrier });
  return {
    board, link, trace, edges,
    /** Times of rising edges since `from`. */
    steps: (which, from = 0) => edges.filter((edge) => edge.pin === which && edge.level && edge.time >= from).map((edge) => edge.time),
    firstEdge: (which, level, from) => edges.find((edge) => edge.pin === which && edge.level === level && edge.time >= from)?.time,
    say(sentence) {
      assert.equal(board.say(sentence), "", sentence);
    },
    /** Operator's inspection of the readers: the board does not know that they are empty. */
    prove() {
      link.do(op.empty, [(1 << ports) - 1]);
    },
    /** Connected, configured, homed. */
    ready() {
      link.open();
      link.run(200 * ms, () => false);
      this.prove();
      link.do(op.home, []);
      assert.equal(link.status().state, state.ready);
      return this;
    },
    /** No finding, and no forbidden state of the rig. */
    clean() {
      assert.equal(board.audit().toString(), "");
      assert.equal(board.plant.state().hazards, 0, "the plant counted a forbidden event");
    },
  };
}

/** A homed rig with its card in a powered reader. */
export function powered(port = 0) {
  const rig = bench().ready();
  rig.link.do(op.load, [port, port]);
  rig.link.do(op.power, [port, 1]);
  rig.link.run(100 * ms, () => false);
  assert.equal(rig.board.plant.state().ports_on, 1 << port);
  return rig;
}

const figures = [];
/** One line of the figures printed at the end. */
export function figure(what, value) {
  figures.push(`${what}: ${value}`);
}
export const printFigures = () => console.log(figures.map((line) => `FIGURE ${line}`).join("\n"));
