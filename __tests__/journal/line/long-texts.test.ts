import fc from 'fast-check';
import { dataWithLongTexts, longTextAt } from '../../../lib/journal/line/long-texts.ts';
import { textAt } from '../../../lib/journal/line/text-at.ts';

/** Makes a text long enough to be taken out, and its data long enough to be looked through. */
const FILLER = 'long enough '.repeat(50);

/** What stands around the bytes in their buffer is not theirs. */
function between(bytes: Uint8Array): readonly [Buffer, number, number] {
  const around = Buffer.from('"\\u00');
  return [Buffer.concat([around, bytes, around]), around.length, around.length + bytes.length];
}

function read(json: Uint8Array | string): unknown {
  return dataWithLongTexts(...between(Buffer.from(json as string)));
}

/** Undefined where it is no JSON in UTF-8. */
function parsed(json: Uint8Array | string): unknown {
  try {
    return JSON.parse(textAt(...between(Buffer.from(json as string))));
  } catch {
    return undefined;
  }
}

/** A text as the bytes between its quotes, in data of the kind that there is most of. */
function around(text: Uint8Array | string): Buffer {
  const head = `{"callId":"c-1","result":{"llmContent":"${FILLER}`;
  return Buffer.concat([Buffer.from(head), Buffer.from(text as string), Buffer.from('"},"tokens":{"count":3}}')]);
}

/** Whether it is read as JSON.parse reads it, or not at all where that does not: among other data, and alone. */
function isSame(text: Uint8Array | string): boolean {
  const json = around(text);
  const inside = Buffer.concat([Buffer.from(FILLER), Buffer.from(text as string)]);
  const quoted = Buffer.concat([Buffer.from('"'), inside, Buffer.from('"')]);
  const isSameAlone = longTextAt(...between(inside)) === parsed(quoted);
  return isSameAlone && JSON.stringify(read(json)) === JSON.stringify(parsed(json));
}

/** Whether both read it. */
function isRead(text: string): boolean {
  return read(around(text)) !== undefined && isSame(text);
}

const ESCAPES = ['\\n', '\\"', '\\\\', '\\/', '\\t', '\\r', '\\b', '\\f', '\\u0000', '\\u001b', '\\u00e9', '\\uD83D'];
const CHARACTERS = ['é', '\u07ff', '日', '\uffff', '🙂', '\u{10ffff}', '\x7f'];

it('data with long texts is left to JSON.parse until there is enough of it', () => {
  const json = around('one of many');
  expect(read(json)).toBeUndefined();
  for (let bytes = 0; bytes < 512 * 1024; bytes += json.length) read(json);
  expect(read(json)).toEqual(parsed(json));
});

describe('data with long texts', () => {
  beforeAll(() => {
    for (let time = 0; time < 1000; time += 1) read(around(FILLER));
  });

  it('says what JSON.parse says of it, for each unit that there is', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    for (const some of [units, units.slice(0, 0x80), units.slice(0, 0x100), units.slice(0xd700, 0xe100)]) {
      const text = some.join(' ');
      expect(read(JSON.stringify({ text: FILLER + text }))).toEqual({ text: FILLER + text });
      const digits = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
      expect(isRead(some.map((unit) => `\\u${digits(unit)}`).join(' '))).toBe(true);
      expect(isRead(some.map((unit) => `\\u${digits(unit).toUpperCase()}`).join(''))).toBe(true);
    }
  });

  it('says the same wherever in a block something stands', () => {
    for (const special of [...ESCAPES, ...CHARACTERS]) {
      for (let before = 0; before < 34; before += 1) {
        const start = 'x'.repeat(before) + special;
        const texts = [start, `${start}${special}${'y'.repeat(34 - before)}${special}`, `日${start}y`];
        expect(texts.filter((text) => !isRead(text))).toEqual([]);
      }
    }
  });

  it('says the same for rows of backslashes, however long', () => {
    for (let count = 0; count < 40; count += 1) {
      for (let before = 0; before < 17; before += 1) {
        const start = 'z'.repeat(before) + '\\'.repeat(count);
        const texts = ['n', '"', 'x', 'u0041', 'u12', ''].map((behind) => start + behind);
        expect(texts.filter((text) => !isSame(text))).toEqual([]);
      }
    }
  });

  it('says the same whatever the data is', () => {
    const pieces = fc.oneof(
      fc.constantFrom(...ESCAPES, ...CHARACTERS, ' ', 'a', FILLER),
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => JSON.stringify(text).slice(1, -1)),
    );
    const strings = fc.array(pieces, { maxLength: 12 }).map((all) => `"${all.join('')}"`);
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        strings,
        fc.constantFrom('0', '-1.5e3', 'true', 'null', '{}', '[]', '""', '"\\u007f0"'),
        fc.array(tie('value'), { maxLength: 5 }).map((all) => `[${all.join(', ')}]`),
        fc
          .array(fc.tuple(strings, tie('value')), { maxLength: 5 })
          .map((all) => `{${all.map((one) => one.join(':'))}}`),
      ),
    }));
    let found = 0;
    fc.assert(
      fc.property(value, (inner) => {
        const json = `{"first":${inner},"text":"${FILLER}"}`;
        expect(parsed(json)).toBeDefined();
        const data = read(json);
        // What is rare is left to JSON.parse.
        if (data === undefined) return;
        found += 1;
        expect(JSON.stringify(data)).toBe(JSON.stringify(parsed(json)));
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(0);
  });

  it('is read only where JSON.parse reads it, whatever became of its bytes', () => {
    const json = around('été 日本 🙂 \\u0041\\n\\\\ end');
    const places = fc.integer({ min: 0, max: json.length - 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(places, fc.nat(255)), { minLength: 1, maxLength: 3 }), (changes) => {
        const changed = Buffer.from(json);
        for (const [at, byte] of changes) changed[at] = byte;
        const data = read(changed);
        if (data !== undefined) expect(data).toEqual(parsed(changed));
      }),
      { numRuns: 3000 },
    );
    for (let length = 0; length < json.length; length += 1) expect(read(json.subarray(0, length))).toBeUndefined();
  });

  it('is refused exactly where its text is no UTF-8', () => {
    const bytes = fc.oneof(
      fc.constantFrom(
        0x00,
        0x7f,
        0x80,
        0x8f,
        0x90,
        0x9f,
        0xa0,
        0xbf,
        0xc0,
        0xc1,
        0xc2,
        0xdf,
        0xe0,
        0xed,
        0xef,
        0xf0,
        0xf4,
        0xf5,
      ),
      fc.integer({ min: 0x80, max: 0xff }),
    );
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 6 }), (some) =>
        expect(isSame(Uint8Array.from(some))).toBe(true),
      ),
      { numRuns: 2000 },
    );
    const others: number[][] = [];
    for (let first = 0xbf; first < 0x100; first += 1) {
      for (const third of [0x7f, 0x80, 0xbf, 0xc0]) {
        for (let second = 0x7f; second < 0xc2; second += 1) others.push([first, second, third, 0x80]);
      }
    }
    expect(others.filter((bytes) => !isSame(Uint8Array.from(bytes)))).toEqual([]);
  });

  it('keeps its members in their order, and texts wherever they stand', () => {
    const text = `${FILLER}日`;
    const data = { a: 1, b: text, list: [text, { c: FILLER, d: [FILLER] }], '0': text, e: { f: null } };
    const json = JSON.stringify(data);
    for (let time = 0; time < 3; time += 1) expect(JSON.stringify(read(json))).toBe(json);
    // Where the one before had it, there is something else now.
    expect(read(JSON.stringify({ list: 'none', b: [text] }))).toEqual({ list: 'none', b: [text] });
  });

  it('is left to JSON.parse where a text is a name, or the value of one that comes again', () => {
    expect(read(`{"${FILLER}":1,"text":"${FILLER}"}`)).toBeUndefined();
    expect(read(`{"a":"${FILLER}","a":1}`)).toBeUndefined();
    expect(read(`{"a":"${FILLER}","a":"${FILLER}"}`)).toBeUndefined();
    const own = `{"__proto__":"${FILLER}","a":{"__proto__":{"b":"${FILLER}"}}}`;
    expect(JSON.stringify(read(own))).toBe(own);
  });

  it('is left to JSON.parse where a string could be taken for the mark of a text', () => {
    for (const mark of ['\x7f0', '\\u007f0', '\\u007F0', '\x7f', `\x7f0${FILLER}`]) {
      expect(read(`{"a":"${mark}","b":"${FILLER}"}`)).toBeUndefined();
      expect(read(`{"b":"${FILLER}","${mark}":1}`)).toBeUndefined();
    }
  });

  it('is left to JSON.parse where it is small, too large, too deep, not mostly text, or has too many of them', () => {
    expect(read('{"text":"short"}')).toBeUndefined();
    expect(read(`{"numbers":[${'1,'.repeat(1000)}1]}`)).toBeUndefined();
    expect(read(`{"numbers":[${'1,'.repeat(9000)}1],"text":"${FILLER}"}`)).toBeUndefined();
    expect(read(JSON.stringify({ text: 'x'.repeat(1 << 20) }))).toBeUndefined();
    expect(read(JSON.stringify(Array.from({ length: 33 }, () => FILLER)))).toBeUndefined();
    expect(read(`{"a":${'['.repeat(2000)}"${FILLER}"${']'.repeat(2000)}}`)).toBeUndefined();
    const most = { texts: Array.from({ length: 32 }, (_, text) => `${FILLER}${text}`) };
    expect(read(JSON.stringify(most))).toEqual(most);
    const large = { text: '日x\n'.repeat(150_000) };
    expect(read(JSON.stringify(large))).toEqual(large);
  });
});
