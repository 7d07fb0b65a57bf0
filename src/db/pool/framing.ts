import { lengthAt } from './results.ts';

/** Bytes of a message's code and length. */
const head = 5;

/** Splits a server's bytes into messages, read in place: only one in several chunks is copied. */
export class Framing {
  readonly #read: (bytes: Buffer, at: number) => void;
  /** The parts of a message that is not complete. */
  #parts: Buffer[] = [];
  /** The number of bytes of those parts, and of the whole message; 0: its head is not complete either. */
  #have = 0;
  #need = 0;

  /** @param read is called with each message: the bytes that it is in, and where it begins */
  constructor(read: (bytes: Buffer, at: number) => void) {
    this.#read = read;
  }

  /** Takes the next bytes. */
  take(chunk: Buffer): void {
    const rest = this.#have === 0 ? chunk : this.#continue(chunk);
    if (rest) this.#walk(rest);
  }

  /** Completes the message that has begun, if its end is in the chunk. @returns what comes after it */
  #continue(chunk: Buffer): Buffer | null {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    if (this.#need === 0) {
      if (this.#have < head) return null;
      this.#parts = [Buffer.concat(this.#parts)];
      this.#need = 1 + lengthAt(this.#parts[0] as Buffer, 0);
    }
    const more = this.#have - this.#need;
    if (more < 0) return null;
    const last = this.#parts.pop() as Buffer;
    const end = last.length - more;
    const message = this.#parts.length > 0 ? Buffer.concat([...this.#parts, last.subarray(0, end)]) : last;
    [this.#parts, this.#have, this.#need] = [[], 0, 0];
    this.#read(message, 0);
    return more > 0 ? last.subarray(end) : null;
  }

  #walk(bytes: Buffer): void {
    let at = 0;
    while (at + head <= bytes.length) {
      const length = 1 + lengthAt(bytes, at);
      if (at + length > bytes.length) {
        this.#need = length;
        break;
      }
      this.#read(bytes, at);
      at += length;
    }
    if (at === bytes.length) return;
    this.#parts = [bytes.subarray(at)];
    this.#have = bytes.length - at;
  }
}
