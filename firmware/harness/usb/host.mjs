// SPDX-License-Identifier: GPL-3.0-or-later
/// A strict USB host: complete enumeration, every toggle checked, bulk tokens only if there is data.
/// Sources: USB 2.0, chapters 8 and 9; CDC PSTN subclass 1.2, section 6.3.
import { checkConfiguration, checkDevice, readString } from "./descriptors.mjs";

const us = 1_000, ms = 1_000_000;
const debounce = 100 * ms; // USB 2.0, 7.1.7.3: time that a new device gets before the bus reset
const resetTime = 10 * ms;
const poll = 20 * us; // between tokens that were answered by NAK
const stageLimit = 50 * ms; // USB 2.0, 9.2.6.4
const gap = 10 * us; // between two bulk transactions
const deviceAddress = 17;

export class UsbHost {
  #toggles = new Map();
  #out = [];
  #running;
  #pumps = { in: false, out: false };
  ready = false;
  strings = {};
  descriptors = {};
  /** Called with the bytes received from the serial port. */
  onData = () => {};
  onReady = () => {};
  onGone = () => {};

  constructor(wire, clock, report) {
    this.wire = wire;
    this.report = report;
    this.alarm = clock.createAlarm(() => this.#resume());
    this.pumpAlarms = { in: clock.createAlarm(() => this.#pumpIn()), out: clock.createAlarm(() => this.#pumpOut()) };
    wire.listen({ attached: () => this.#begin(this.#attach()), detached: () => this.#detach(), armed: (endpoint, isIn) => this.#armed(endpoint, isIn) });
  }

  /** Sends bytes to the serial port; they wait until the device is ready. */
  write(bytes) {
    for (const byte of bytes) this.#out.push(byte);
    if (this.ready) this.#schedule("out");
  }
  /** Unsent bytes, for the next host after a disconnection. */
  takePending() {
    return this.ready ? [] : this.#out.splice(0);
  }

  /** The hub resets the port: enumeration restarts, as after a bus error. */
  reenumerate() {
    this.ready = false;
    this.#begin(this.#enumerate());
  }
  /** A request during operation: `then(result)` receives the data, "stall" or undefined. */
  request(setup, data, then) {
    const host = this;
    this.#begin((function* () {
      then(yield* host.#control(setup, data));
    })());
  }

  #begin(steps) {
    this.#running = steps;
    this.alarm.schedule(0);
  }
  #resume() {
    if (this.#running === undefined) return;
    const { value, done } = this.#running.next();
    if (!done) this.alarm.schedule(value);
  }

  #detach() {
    this.ready = false;
    this.#running = undefined;
    this.#out.length = 0; // the serial port is gone, and its waiting bytes with it
    this.onGone();
  }
  *#attach() {
    yield debounce;
    yield* this.#enumerate();
  }

  *#enumerate() {
    this.#toggles.clear();
    this.wire.busReset();
    yield resetTime;
    const head = yield* this.#descriptor(1, 0, 8);
    if (!head) return;
    this.wire.busReset();
    yield resetTime;
    this.expectedAddress = 0;
    if ((yield* this.#control([0x00, 5, deviceAddress, 0, 0, 0, 0, 0])) === undefined) return this.#fail("SET_ADDRESS");
    yield 2 * ms; // USB 2.0, 9.2.6.3
    if (this.wire.address !== deviceAddress) return this.#fail(`SET_ADDRESS: the device listens to ${this.wire.address}`);
    const device = yield* this.#descriptor(1, 0, 18);
    const short = device && (yield* this.#descriptor(2, 0, 9));
    const configuration = short && (yield* this.#descriptor(2, 0, short[2] | (short[3] << 8)));
    if (!configuration) return this.#fail("descriptors");
    const qualifier = yield* this.#control([0x80, 6, 0, 6, 0, 0, 10, 0]);
    if (qualifier !== "stall") this.report("usb-qualifier", "a full-speed device has to stall the request for a device qualifier");
    this.descriptors = { device, configuration };
    checkDevice(device, this.report);
    checkConfiguration(configuration, this.report);
    for (const [name, index] of [["manufacturer", device[14]], ["product", device[15]], ["serial", device[16]]]) this.strings[name] = yield* this.#string(index, name);
    if ((yield* this.#control([0x00, 9, configuration[5], 0, 0, 0, 0, 0])) === undefined) return this.#fail("SET_CONFIGURATION");
    this.#toggles.clear(); // SET_CONFIGURATION puts every toggle to DATA0
    yield* this.#openPort();
  }

  *#openPort() {
    const coding = Uint8Array.of(0x00, 0xc2, 0x01, 0x00, 0, 0, 8); // 115200 8N1
    if ((yield* this.#control([0x21, 0x20, 0, 0, 0, 0, 7, 0], coding)) !== coding) return this.#fail("SET_LINE_CODING");
    const back = yield* this.#control([0xa1, 0x21, 0, 0, 0, 0, 7, 0]);
    if (!(back instanceof Uint8Array) || back.some((byte, i) => byte !== coding[i])) this.report("usb-line-coding", "GET_LINE_CODING does not give what SET_LINE_CODING set");
    if ((yield* this.#control([0x21, 0x22, 3, 0, 0, 0, 0, 0])) === undefined) return this.#fail("SET_CONTROL_LINE_STATE");
    this.ready = true;
    this.onReady();
    this.#schedule("in");
    this.#schedule("out");
  }

  #fail(what) {
    this.report("usb-enumeration", what);
  }
  *#descriptor(type, index, length) {
    const data = yield* this.#control([0x80, 6, index, type, 0, 0, length & 0xff, length >> 8]);
    if (data instanceof Uint8Array && data.length > 0) return data;
    this.#fail(`GET_DESCRIPTOR ${type}.${index}: ${data === "stall" ? "stalled" : "no answer"}`);
    return undefined;
  }
  *#string(index, name) {
    if (index === 0) return undefined;
    const data = yield* this.#control([0x80, 6, index, 3, 9, 4, 255, 0]);
    if (data instanceof Uint8Array) return readString(data, name, this.report);
    this.#fail(`string ${name}`);
    return undefined;
  }

  /** One control transfer with its status stage. Returns the data, "stall", or undefined after a time-out. */
  *#control(setup, data) {
    this.wire.setup(Uint8Array.from(setup));
    const length = setup[6] | (setup[7] << 8);
    let toggle = 1;
    let result = data ?? new Uint8Array(0);
    if (setup[0] & 0x80) {
      const received = [];
      for (;;) {
        const packet = yield* this.#answer(() => this.wire.in(0), setup);
        if (packet === undefined || packet === "stall") return packet;
        this.#toggle("EP0 IN", packet.pid, toggle);
        toggle ^= 1;
        received.push(...packet.data);
        if (received.length > length) this.report("usb-length", `${received.length} bytes where ${length} were asked for`);
        if (packet.data.length < 64 || received.length >= length) break;
      }
      result = Uint8Array.from(received);
      const status = yield* this.#answer(() => this.wire.out(0, 1, new Uint8Array(0)), setup);
      return status === "ack" ? result : status;
    }
    for (let sent = 0; sent < length; sent += 64) {
      const packet = result.subarray(sent, sent + 64);
      const pid = toggle;
      const status = yield* this.#answer(() => this.wire.out(0, pid, packet), setup);
      if (status !== "ack") return status;
      toggle ^= 1;
    }
    const status = yield* this.#answer(() => this.wire.in(0), setup);
    if (status === undefined || status === "stall") return status;
    this.#toggle("status stage", status.pid, 1);
    if (status.data.length !== 0) this.report("usb-status", "the status stage carries data");
    return result;
  }
  *#answer(token, setup) {
    for (let waited = 0; waited < stageLimit; waited += poll) {
      yield poll;
      const answer = token();
      if (answer !== undefined) return answer;
    }
    this.report("usb-silent", `no answer to request ${setup.slice(0, 4).map((byte) => byte.toString(16)).join(" ")} within 50 ms`);
    return undefined;
  }

  #toggle(what, seen, expected) {
    if (seen !== expected) this.report("usb-toggle", `${what}: DATA${seen} where DATA${expected} is due`);
    return seen === expected;
  }

  // ---- bulk endpoints: a token only if there is data ----

  #armed(endpoint, isIn) {
    if (!this.ready || endpoint !== 2) return;
    this.#schedule(isIn ? "in" : "out");
  }
  #schedule(direction) {
    if (this.#pumps[direction]) return;
    this.#pumps[direction] = true;
    this.pumpAlarms[direction].schedule(gap);
  }
  #next(key) {
    return this.#toggles.get(key) ?? 0;
  }
  #flip(key) {
    this.#toggles.set(key, this.#next(key) ^ 1);
  }

  #pumpIn() {
    this.#pumps.in = false;
    if (!this.ready) return;
    const packet = this.wire.in(2);
    if (packet === undefined || packet === "stall") return;
    // A real host discards a packet with the wrong toggle as a repetition.
    if (!this.#toggle("endpoint 2 IN", packet.pid, this.#next("in"))) return;
    this.#flip("in");
    if (packet.data.length > 0) this.onData(packet.data);
  }
  #pumpOut() {
    this.#pumps.out = false;
    if (!this.ready || this.#out.length === 0) return;
    const packet = Uint8Array.from(this.#out.slice(0, 64));
    // NAK: this function is called again when the next buffer is handed over
    if (this.wire.out(2, this.#next("out"), packet) !== "ack") return;
    this.#out.splice(0, packet.length);
    this.#flip("out");
    if (this.#out.length > 0) this.#schedule("out");
  }
}
