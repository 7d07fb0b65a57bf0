/** Bytes that grow as they are written. */
export class Output {
  #bytes = Buffer.allocUnsafe(initial);
  #length = 0;

  /** Begins anew, without what has been written and not taken: by an encoder that has thrown. */
  begin(): void {
    this.#length = 0;
  }

  /** Returns what has been written since the last call. What is written next overwrites it. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > kept) this.#bytes = Buffer.allocUnsafe(initial);
    return taken;
  }

  byte(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
  }

  text(text: string): void {
    // UTF-8 has at most three bytes for each UTF-16 code unit.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes an integer from 0 to 2^31 − 1. */
  digits(integer: number): void {
    let count = 1;
    for (let power = 10; power <= integer; power *= 10) count++;
    this.#reserve(count);
    let rest = integer;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = 0x30 + rest - 10 * tenth;
      rest = tenth;
    }
    this.#length += count;
  }

  /** Writes the bytes from `start` to `end`. */
  copy(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    if (end - start > few) {
      from.copy(this.#bytes, this.#length, start, end);
      this.#length += end - start;
    } else for (let at = start; at < end; at++) this.#bytes[this.#length++] = from[at] as number;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const initial = 262_144;
/** A buffer that has grown beyond this number of bytes is not kept. */
const kept = 4_194_304;
/** Up to this number of bytes, a loop is faster than a call of the runtime. */
const few = 24;
