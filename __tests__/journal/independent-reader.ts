// Reads a journal with nothing of lib/: JSON.parse, and XXH64 written down from its specification with BigInt. A
// journal of the product must be right for a reader that has only the document.

const MASK = (1n << 64n) - 1n;
const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;

const rotate = (value: bigint, bits: bigint) => ((value << bits) | (value >> (64n - bits))) & MASK;
const round = (lane: bigint, input: bigint) => (rotate((lane + input * P2) & MASK, 31n) * P1) & MASK;

export function plainXxh64(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let hash = P5;
  if (bytes.length >= 32) {
    const lanes = [(P1 + P2) & MASK, P2, 0n, -P1 & MASK];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let lane = 0; lane < 4; lane += 1) lanes[lane] = round(lanes[lane]!, view.getBigUint64(at + lane * 8, true));
    }
    const rotations = [1n, 7n, 12n, 18n];
    hash = lanes.reduce((sum, lane, index) => sum + rotate(lane, rotations[index]!), 0n) & MASK;
    for (const lane of lanes) hash = ((hash ^ round(0n, lane)) * P1 + P4) & MASK;
  }
  hash = (hash + BigInt(bytes.length)) & MASK;
  for (; at + 8 <= bytes.length; at += 8) {
    hash = (rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4) & MASK;
  }
  if (at + 4 <= bytes.length) {
    hash = (rotate(hash ^ ((BigInt(view.getUint32(at, true)) * P1) & MASK), 23n) * P2 + P3) & MASK;
    at += 4;
  }
  for (; at < bytes.length; at += 1) hash = (rotate(hash ^ ((BigInt(bytes[at]!) * P5) & MASK), 11n) * P1) & MASK;
  hash = ((hash ^ (hash >> 33n)) * P2) & MASK;
  hash = ((hash ^ (hash >> 29n)) * P3) & MASK;
  return (hash ^ (hash >> 32n)).toString(16).padStart(16, '0');
}

export interface PlainLine {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn?: number;
  readonly id?: string;
  readonly data: Record<string, unknown>;
  readonly prev: string;
  readonly xxh64: string;
}

/** Every line of a journal without damage; throws at anything that the format does not allow. */
export function readPlainly(bytes: Buffer): PlainLine[] {
  if (bytes.at(-1) !== 10) throw new Error('The journal does not end with LF.');
  if (bytes.includes(13)) throw new Error('The journal holds a CR.');
  let prev = '0'.repeat(16);
  let ts = '';
  const texts = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).slice(0, -1).split('\n');
  return texts.map((text, index) => {
    const line = JSON.parse(text) as PlainLine;
    const raw = Buffer.from(text);
    const fail = (what: string) => new Error(`Line ${index + 1}: ${what}`);
    if (!/^[\x20-\u2027\u202a-\uffff]*$/.test(text)) throw fail('control characters');
    if (line.seq !== index) throw fail('seq');
    if (line.prev !== prev) throw fail('prev');
    if (line.ts < ts) throw fail('ts');
    if (line.xxh64 !== plainXxh64(raw.subarray(0, -28))) throw fail('xxh64');
    const order = ['seq', 'ts', 'type', 'turn', 'id', 'ignorable', 'data', 'prev', 'xxh64'];
    const known = Object.keys(line).filter((member) => order.includes(member));
    if (known.join() !== order.filter((member) => member in line).join()) throw fail('order');
    if (!text.endsWith(`"prev":"${line.prev}","xxh64":"${line.xxh64}"}`)) throw fail('end');
    if (raw.length + 1 > 16 * 1024 * 1024) throw fail('length');
    ({ xxh64: prev, ts } = line);
    return line;
  });
}
