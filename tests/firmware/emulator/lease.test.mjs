// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests what the image does one lease and half a minute after the host has stopped sending.
import assert from "node:assert/strict";
import { bench, figure, ms, pin, powered, printFigures } from "./bench.mjs";
import { event, fault, op, u32 } from "./link.mjs";
import test from "./sample.mjs";

const x = 0;

test("host silence for one lease stops a move with a ramp", () => {
  const rig = bench().ready();
  rig.link.dropLease();
  rig.link.request(op.heartbeat, [1000 & 255, 1000 >> 8]);
  const silent = rig.board.now;
  const { job } = rig.link.begin(op.jog, [x, ...u32(12_900)]);
  rig.board.machine.run(3000 * ms);
  const times = rig.steps(pin.xStep, silent);
  const last = times.at(-1);
  figure("silence to the last step, lease of 1 s", `${((last - silent) / ms).toFixed(0)} ms`);
  assert.ok(times.length < 12_900, "the move went on to its end");
  assert.ok(last - silent < 1500 * ms);
  assert.ok(last - times.at(-2) > 1e9 / 2000, "the last interval is one of full speed");
  assert.ok(rig.link.events.some((one) => one.event === event.leaseLost));
  assert.equal(rig.link.events.find((one) => one.job === job && one.event === event.failed)?.fault, fault.lease);
  assert.equal(rig.board.plant.state().x, rig.link.status().x, "steps were lost");
  rig.clean();
});

test("half a minute of silence switches off every unguarded port", () => {
  const rig = powered(1);
  rig.link.do(op.load, [0, 0]);
  rig.link.do(op.power, [0, 1]);
  rig.link.do(op.guard, [1]);
  rig.link.dropLease();
  rig.board.machine.run(20_000 * ms);
  assert.equal(rig.board.plant.state().ports_on, 3);
  rig.board.machine.run(15_000 * ms);
  assert.equal(rig.board.plant.state().ports_on, 1);
  rig.clean();
});

test.after(printFigures);
