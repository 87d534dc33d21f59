// SPDX-License-Identifier: GPL-3.0-or-later
/// Models the device controller of the RP2040 as seen from the cable: it answers one transaction at a time from the
/// registers and the DPRAM. Replaces the emulator's endpoint handling, which answers at once and checks nothing.
/// Source: RP2040 datasheet, section 4.1.2 (device controller), 4.1.2.5.1 (AVAILABLE is written last).

const AVAILABLE = 1 << 10, STALL = 1 << 11, PID = 1 << 13, FULL = 1 << 15, LENGTH = 0x3ff;
const DOUBLE = 1 << 30, ENABLE = 2 ** 31, PER_BUFFER = 1 << 29;
const EP0_PER_BUFFER = 1 << 29, PULL_UP = 1 << 16;
const DATA_SEQ_ERROR = 2 ** 31;
const SOF_RD = 0x48, SUSPENDED = 1 << 4;
const frameTime = 1_000_000; // ns; USB 2.0, 8.4.3
/** AVAILABLE may be written one cycle of clk_usb after the other bits: 2.6 cycles at 125 MHz. */
const cyclesBeforeAvailable = 3;

export class UsbWire {
  #shadow = new Uint32Array(32);
  #writtenAt = new Float64Array(32);
  #armed = () => {};
  #attached = () => {};
  #detached = () => {};
  #isAttached = false;
  #framesFrom = undefined; // ns: the host has sent starts of frame since then
  #lastFrame = 0;
  #deaf = false;
  #fetchable = true;

  constructor(mcu, report) {
    this.mcu = mcu;
    this.usb = mcu.usbCtrl;
    this.report = report;
    this.usb.DPRAMUpdated = (offset, value) => this.#written(offset, value >>> 0);
    const read = this.usb.readUint32.bind(this.usb);
    this.usb.readUint32 = (offset) => (offset === SOF_RD ? this.#frame() : read(offset));
    const handle = this.usb.handleSieCtrlWrite.bind(this.usb);
    this.usb.handleSieCtrlWrite = (value) => {
      handle(value);
      if (!(value & PULL_UP)) this.#isAttached = false;
      else if (!this.#isAttached) {
        this.#isAttached = true;
        this.#attached();
      }
    };
  }

  /** Erratum RP2040-E15: the controller answers no token and detects no start of frame until the block is reset. */
  goDeaf() {
    this.#lastFrame = this.#frame();
    this.#deaf = true;
  }
  /** The controller ignores handed-over buffers of an IN endpoint: NAK until the block is reset. */
  loseBuffer() {
    this.#fetchable = false;
  }
  /** The host stops its starts of frame, and the controller detects an idle bus. */
  suspend() {
    this.#lastFrame = this.#frame();
    this.#framesFrom = undefined;
    this.usb.sieStatus |= SUSPENDED;
  }
  resume() {
    this.#framesFrom = this.mcu.clock.nanos;
    this.usb.sieStatus &= ~SUSPENDED;
  }
  /** Reset of the block by the firmware: registers as at power-up; the memory keeps its contents. */
  blockReset() {
    Object.assign(this.usb, { addrEndp: 0, mainCtrl: 0, sieCtrl: 0, sieStatus: 0, buffStatus: 0, intRaw: 0, intEnable: 0, intForce: 0, usbPwr: 0, epStallArm: 0 });
    this.#framesFrom = undefined;
    this.#lastFrame = 0;
    this.#deaf = false;
    this.#fetchable = true;
    this.#isAttached = false;
    this.#detached();
  }
  #frame() {
    if (this.#deaf || this.#framesFrom === undefined) return this.#lastFrame;
    return Math.floor((this.mcu.clock.nanos - this.#framesFrom) / frameTime) & 0x7ff;
  }

  /**
   * `attached()`: the device pulls the line up; `detached()`: it stops doing so; `armed(endpoint, in)`: a buffer was
   * handed to the controller.
   */
  listen({ attached, detached, armed }) {
    this.#attached = attached;
    this.#detached = detached;
    this.#armed = armed;
  }
  get isAttached() {
    return this.#isAttached;
  }
  get address() {
    return this.usb.addrEndp & 0x7f;
  }

  #offset(endpoint, isIn) {
    return 0x80 + 8 * endpoint + (isIn ? 0 : 4);
  }
  #get(offset) {
    return this.mcu.usbDPRAMView.getUint32(offset, true);
  }
  #put(offset, value) {
    this.mcu.usbDPRAMView.setUint32(offset, value >>> 0, true);
    if (offset >= 0x80 && offset < 0x100) this.#shadow[(offset - 0x80) / 4] = value >>> 0;
  }

  #written(offset, value) {
    if (offset < 0x80 || offset >= 0x100) return;
    const index = (offset - 0x80) / 4;
    const endpoint = index >> 1, isIn = !(index & 1);
    const name = `endpoint ${endpoint} ${isIn ? "IN" : "OUT"}`;
    const before = this.#shadow[index];
    const cycles = this.mcu.core.cycles;
    if (value & AVAILABLE) {
      if (before & AVAILABLE) this.report("usb-rearmed", `${name} is written while the controller owns its buffer`);
      else if ((value & ~AVAILABLE) !== before) this.report("usb-available", `${name}: AVAILABLE is set together with other bits, not by a second write`);
      else if (cycles - this.#writtenAt[index] < cyclesBeforeAvailable) this.report("usb-available", `${name}: AVAILABLE follows ${cycles - this.#writtenAt[index]} cycles after the other bits`);
      if (isIn && !(value & FULL)) this.report("usb-not-full", `${name} is handed over without data`);
      if ((value & LENGTH) > 64) this.report("usb-length", `${name}: ${value & LENGTH} bytes do not fit a full-speed packet`);
    }
    this.#shadow[index] = value;
    this.#writtenAt[index] = cycles;
    if (value & AVAILABLE) this.#armed(endpoint, isIn);
  }

  #endpoint(endpoint, isIn) {
    if (endpoint === 0) return { enabled: true, buffer: 0x100, interrupt: !!(this.usb.sieCtrl & EP0_PER_BUFFER) };
    const control = this.#get(8 * endpoint + (isIn ? 0 : 4));
    if (control & DOUBLE) this.report("usb-double-buffer", `endpoint ${endpoint} is double buffered, which this host does not follow`);
    return { enabled: (control & ENABLE) !== 0, buffer: control & 0xffc0, interrupt: !!(control & PER_BUFFER) };
  }
  #done(endpoint, isIn, interrupt) {
    if (interrupt) this.usb.indicateBufferReady(endpoint, !isIn);
  }
  #stalled(endpoint, isIn, control) {
    if (!(control & STALL)) return false;
    return endpoint !== 0 || !!(this.usb.epStallArm & (isIn ? 1 : 2));
  }

  busReset() {
    if (this.#deaf) return;
    this.#framesFrom = this.mcu.clock.nanos;
    this.#shadow.fill(0);
    this.usb.addrEndp = 0;
    for (let index = 0; index < 32; index++) this.#shadow[index] = this.#get(0x80 + 4 * index) & ~AVAILABLE;
    this.usb.sieStatus |= 1 << 19;
    this.usb.sieStatusUpdated();
  }

  /** SETUP is always accepted and ends the transfer of EP0 in progress. */
  setup(packet) {
    if (this.#deaf) return;
    this.mcu.usbDPRAM.set(packet, 0);
    this.usb.epStallArm = 0;
    for (const isIn of [true, false]) {
      const offset = this.#offset(0, isIn);
      this.#put(offset, this.#get(offset) & ~AVAILABLE);
    }
    this.usb.sieStatus |= 1 << 17;
    this.usb.sieStatusUpdated();
  }

  /** IN token: undefined for NAK, "stall", or { pid, data }. */
  in(endpoint) {
    if (this.#deaf || (endpoint !== 0 && !this.#fetchable)) return undefined;
    const offset = this.#offset(endpoint, true);
    const control = this.#get(offset);
    if (this.#stalled(endpoint, true, control)) return "stall";
    const { enabled, buffer, interrupt } = this.#endpoint(endpoint, true);
    if (!enabled || !(control & AVAILABLE)) return undefined;
    const data = this.mcu.usbDPRAM.slice(buffer, buffer + (control & LENGTH));
    this.#put(offset, control & ~(AVAILABLE | FULL));
    this.#done(endpoint, true, interrupt);
    return { pid: control & PID ? 1 : 0, data };
  }

  /** OUT token with data: undefined for NAK, "stall", or "ack". A wrong toggle is rejected and reported. */
  out(endpoint, pid, data) {
    if (this.#deaf) return undefined;
    const offset = this.#offset(endpoint, false);
    const control = this.#get(offset);
    if (this.#stalled(endpoint, false, control)) return "stall";
    const { enabled, buffer, interrupt } = this.#endpoint(endpoint, false);
    if (!enabled || !(control & AVAILABLE)) return undefined;
    if ((control & PID ? 1 : 0) !== pid) {
      this.report("usb-toggle", `endpoint ${endpoint} OUT expects DATA${control & PID ? 1 : 0}, the host sends DATA${pid}`);
      this.usb.sieStatus |= DATA_SEQ_ERROR;
      this.usb.sieStatusUpdated();
      return "ack"; // the host treats the packet as an acknowledged repetition: the data is lost
    }
    if (data.length > (control & LENGTH)) this.report("usb-length", `endpoint ${endpoint} OUT has space for ${control & LENGTH} bytes, but ${data.length} were sent`);
    this.mcu.usbDPRAM.set(data.subarray(0, control & LENGTH), buffer);
    this.#put(offset, (control & ~(AVAILABLE | LENGTH)) | FULL | data.length);
    this.#done(endpoint, false, interrupt);
    return "ack";
  }
}
