// SPDX-License-Identifier: GPL-3.0-or-later
/// Findings of the audit: rules that silicon enforces and the stock emulator does not, with the place of the violation.

export class Findings {
  #byRule = new Map();
  #notes = new Map();

  /** `clock()` returns the time of the board in nanoseconds. */
  constructor(clock = () => 0) {
    this.clock = clock;
  }

  /** Keeps the first case of each rule with its time and counts later ones. */
  report(rule, detail) {
    const known = this.#byRule.get(rule);
    if (known) known.count++;
    else this.#byRule.set(rule, { rule, detail, at: this.clock(), count: 1 });
  }

  /** A use of something that the emulator does not model: the run proves nothing about it. */
  note(text) {
    this.#notes.set(text, (this.#notes.get(text) ?? 0) + 1);
  }

  get all() {
    return [...this.#byRule.values()];
  }
  get rules() {
    return [...this.#byRule.keys()];
  }
  get notes() {
    return [...this.#notes.keys()];
  }
  has(rule) {
    return this.#byRule.has(rule);
  }
  toString() {
    return this.all.map((f) => `${f.rule}: ${f.detail} (at ${(f.at / 1e6).toFixed(3)} ms, ${f.count} times)`).join("\n");
  }
}
