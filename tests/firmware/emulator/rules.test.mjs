// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the rules that need a separate image, the file format, and the models that replace those of the emulator.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Findings } from "../../../firmware/harness/findings.mjs";
import { checkBoot2, crc32Mpeg2, makeUf2, parseUf2, sealBoot2 } from "../../../firmware/harness/image.mjs";
import { Machine, Stopped } from "../../../firmware/harness/machine.mjs";
import { Trace } from "../../../firmware/harness/trace.mjs";
import { UsbWire } from "../../../firmware/harness/usb/wire.mjs";

const images = fileURLToPath(new URL("images/", import.meta.url));
const noWiring = { drive: () => 0, released: () => 0, sense: () => 0, idle: () => false, inputs: 0, adc: () => 0, nextChange: () => Infinity };

/** Flash with the small image and one mistake; undefined without the compiler. */
function assemble(mistake) {
  const folder = mkdtempSync(join(tmpdir(), "mediarig-image-"));
  try {
    const elf = join(folder, "small.elf"), binary = join(folder, "small.bin");
    execFileSync("arm-none-eabi-gcc", ["-mcpu=cortex-m0plus", "-nostdlib", `-DMISTAKE=${mistake}`, "-T", join(images, "small.ld"), join(images, "small.S"), "-o", elf], { stdio: ["ignore", "ignore", "pipe"] });
    execFileSync("arm-none-eabi-objcopy", ["-O", "binary", elf, binary]);
    const bytes = readFileSync(binary);
    const flash = new Uint8Array(4096).fill(0xff);
    flash.set(bytes);
    sealBoot2(flash);
    return parseUf2(makeUf2(flash, bytes.length), assert.fail).flash;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(flash, audited) {
  const machine = new Machine({ flash, wiring: noWiring, audited });
  try {
    machine.run(100e6);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  return machine;
}

const compiler = (() => {
  try {
    execFileSync("arm-none-eabi-gcc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.log("SKIPPED: arm-none-eabi-gcc is not installed");
    return false;
  }
})();

const mistakes = [
  [1, "unaligned", "a word is read at an odd address"],
  [2, "unmapped", "an address without memory or peripheral is read"],
  [3, "unmapped", "flash is written by a store"],
  [4, "unmapped", "a null pointer is read"],
  [5, "ram-handler-in-flash", "a handler in RAM calls a function in flash"],
  [6, "stack-overflow", "the stack grows beyond its memory"],
  [7, "breakpoint", "a breakpoint instruction is executed"],
  [8, "undefined-instruction", "an undefined instruction is executed"],
  [9, "unmapped", "a store goes past the end of SRAM"],
  [10, "unmapped", "an address without a register of SIO is accessed"],
  [11, "unmapped", "an address between two peripherals is accessed"],
  [12, "unaligned", "a half word is read at an odd address"],
  [13, "waits-for-ever", "the firmware waits for a block that it did not release"],
  [14, "ram-handler-in-flash", "a handler in RAM takes a constant from flash"],
];

test("the small image without a defect breaks no rule and sleeps", { skip: !compiler }, () => {
  const machine = run(assemble(0), true);
  assert.equal(machine.findings.toString(), "");
  assert.ok(machine.load < 0.01);
  assert.ok(machine.starts.length === 1);
});
for (const [number, rule, what] of mistakes)
  test(`${rule}: ${what}`, { skip: !compiler }, () => {
    const { findings } = run(assemble(number), true);
    assert.ok(findings.has(rule), `the audit says ${findings.rules.join(", ") || "nothing"}`);
  });

test("boot2 with one wrong bit is refused, as by the boot ROM", { skip: !compiler }, () => {
  const flash = assemble(0);
  flash[100] ^= 1;
  assert.throws(() => run(flash, true), /boot2-crc: boot2 has CRC [0-9a-f]+, its last word is [0-9a-f]+/);
});

test("the checksum over boot2 is CRC-32/MPEG-2", () => {
  assert.equal(crc32Mpeg2(Buffer.from("123456789")), 0x0376e6e7);
  assert.equal(checkBoot2(sealed(), assert.fail), true);
});
function sealed() {
  const flash = new Uint8Array(8192).map((_, i) => i * 7);
  sealBoot2(flash);
  return flash;
}

const damages = [
  ["first magic", 0], ["second magic", 4], ["flags", 8], ["address", 13], ["payload size", 16], ["block number", 20], ["number of blocks", 24],
  ["family", 28], ["padding", 400], ["last magic", 510],
];
for (const [what, offset] of damages)
  test(`uf2: ${what}`, () => {
    const file = makeUf2(sealed(), 8192);
    file[3 * 512 + offset] ^= 0x10;
    const findings = new Findings();
    parseUf2(file, (rule, detail) => findings.report(rule, detail));
    assert.ok(findings.has("uf2"));
    assert.match(findings.all[0].detail, new RegExp(`block 3: ${what}`));
  });
test("uf2: a truncated file and a file that ends within a sector are reported", () => {
  const findings = new Findings();
  const report = (rule, detail) => findings.report(rule, detail);
  parseUf2(makeUf2(sealed(), 8192).subarray(0, 1000), report);
  assert.match(findings.all[0].detail, /not a multiple of 512/);
  const whole = makeUf2(sealed(), 4096);
  const short = whole.slice(0, 15 * 512);
  for (let block = 0; block < 15; block++) short[block * 512 + 24] = 15;
  const second = new Findings();
  parseUf2(short, (rule, detail) => second.report(rule, detail));
  assert.match(second.all[0].detail, /ends within a sector/);
});
test("uf2: an image survives a round trip", () => {
  const flash = sealed();
  const { flash: read, end } = parseUf2(makeUf2(flash, 8192), assert.fail);
  assert.deepEqual(read.subarray(0, 8192), flash);
  assert.equal(end, 0x10002000);
});

test("traces have equal hashes if their edges are equal, and different hashes otherwise", () => {
  const trace = (level) => {
    const one = new Trace();
    for (let i = 0; i < 10_000; i++) one.edge(i * 8, i % 30, i === 5000 ? level : true);
    return one.digest();
  };
  assert.equal(trace(true), trace(true));
  assert.notEqual(trace(true), trace(false));
});

/** A controller without a device, for writes of buffer controls at chosen cycles. */
function bareWire() {
  const memory = new ArrayBuffer(4096);
  const found = [];
  const mcu = {
    usbDPRAM: new Uint8Array(memory), usbDPRAMView: new DataView(memory), core: { cycles: 0 },
    usbCtrl: { readUint32: () => 0, handleSieCtrlWrite() {}, sieCtrl: 0, epStallArm: 0, addrEndp: 0, sieStatus: 0, indicateBufferReady() {}, sieStatusUpdated() {} },
  };
  const wire = new UsbWire(mcu, (rule) => found.push(rule));
  const write = (value, cycles) => {
    mcu.core.cycles += cycles;
    mcu.usbDPRAMView.setUint32(0x90, value, true);
    mcu.usbCtrl.DPRAMUpdated(0x90, value);
  };
  return { write, found, wire };
}
test("usb-available: a second write to a buffer control that comes too early is detected", () => {
  const soon = bareWire();
  soon.write(0xa004, 10);
  soon.write(0xa404, 2);
  assert.deepEqual(soon.found, ["usb-available"]);
  const late = bareWire();
  late.write(0xa004, 10);
  late.write(0xa404, 12);
  assert.deepEqual(late.found, []);
});
test("usb-rearmed: a write to a buffer that the controller owns is detected", () => {
  const { write, found } = bareWire();
  write(0xa004, 10);
  write(0xa404, 12);
  write(0xa404, 12);
  assert.deepEqual(found, ["usb-rearmed"]);
});
