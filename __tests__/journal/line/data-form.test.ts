import fc from 'fast-check';
import { formOf } from '../../../lib/journal/line/data-form.ts';
import { toJson } from '../../../lib/journal/line/line-buffer.ts';
import { Scanner } from '../../../lib/journal/line/scanner.ts';
import type { DataForm, DataShape, JsonObject } from '../../../lib/journal/types.ts';

const SHAPE: DataShape = {
  integers: ['tokens.count', 'durationMs'],
  strings: ['callId'],
  skipped: 'result.llmContent',
};
const CALL: DataShape = { integers: ['tokens.count'], strings: ['callId', 'name'], skipped: 'args' };
const MESSAGE: DataShape = { integers: ['tokens.count'], strings: [], skipped: 'parts.0.text' };
const scanner = new Scanner(64 * 1024);
const LONG = 'a long text, '.repeat(100);
const AROUND = ['{"seq":0,"data":', ',"prev":"0","xxh64":"0"}'] as const;

function finished(llmContent: string, more: object = {}): JsonObject {
  const tokens = { count: 7, method: 'counted' };
  return { callId: 'call-1', status: 'ok', result: { llmContent }, tokens, durationMs: 12, trusted: false, ...more };
}

function known(data: JsonObject, shape = SHAPE): DataForm {
  const form = formOf(data, shape);
  if (form === undefined) throw new Error('It has no form.');
  return form;
}

/** Reads JSON in the middle of a line, as it stands. */
function readText(form: DataForm, json: string, keptBytes = 0): JsonObject | undefined {
  const start = Buffer.byteLength(AROUND[0]);
  const stop = start + Buffer.byteLength(json);
  const bytes = Buffer.from(AROUND[0] + json + AROUND[1]);
  scanner.load(bytes, 4, bytes.length);
  return form.read({ bytes, start, stop, scanner, origin: 4 }, keptBytes);
}

const read = (form: DataForm, data: object, keptBytes = 0) => readText(form, toJson(data), keptBytes);

describe('data that is like that of an earlier line', () => {
  it('is read without its long text, whatever its id and its counts are', () => {
    const other = finished('', {
      callId: 'x',
      tokens: { count: 0, method: 'counted' },
      durationMs: 999_999_999_999_999,
    });
    const withText = { ...other, result: { llmContent: `${LONG}"quoted"} \\ \n` } };
    expect(read(known(finished(LONG)), withText)).toEqual(other);
    expect(Object.keys(read(known(finished(LONG)), withText)!)).toEqual(Object.keys(other));
  });

  it('is read without a value of any kind', () => {
    const call = (args: unknown, callId = 'a') => ({
      callId,
      name: 'read',
      tokens: { count: 3, method: 'estimated' },
      args,
    });
    const form = known(call({ path: 'a' }), CALL);
    for (const args of [{}, { text: '}"],\\' }, { deep: [[{ a: [] }]] }, [1, '"']]) {
      expect(read(form, call(args, 'b'))).toEqual(call({}, 'b'));
    }
    expect(read(form, { ...call({ path: 'a' }), at: '2026-01-01T00:00:00.000Z' })).toBeUndefined();
  });

  it('is left to the whole reading where anything else is another', () => {
    const form = known(finished(LONG));
    for (const more of [
      { status: 'error' },
      { trusted: true },
      { tokens: { count: 7, method: 'unknown' } },
      { tokens: { method: 'counted', count: 7 } },
      { truncated: { originalBytes: 1, keptBytes: 1 } },
      { durationMs: 1.5 },
      { durationMs: -1 },
      { durationMs: 1e21 },
      { durationMs: '12' },
      { callId: '' },
      { callId: 'ü' },
      { callId: 'a"b' },
      { callId: 'x'.repeat(300) },
    ]) {
      expect(read(form, finished(LONG, more))).toBeUndefined();
    }
    expect(readText(form, toJson(finished(LONG)).replace('12', '012'))).toBeUndefined();
    expect(readText(form, toJson(finished(LONG)).replace(':', ': '))).toBeUndefined();
    expect(readText(form, toJson(finished(LONG)).slice(0, -1))).toBeUndefined();
  });

  it('is left to the whole reading where the text ends with what looks like its end', () => {
    expect(read(known(finished(LONG)), finished(`${LONG}"},`))).toBeUndefined();
    expect(read(known(finished(LONG)), finished(`${LONG}"},"tokens":{"count":9`))).toEqual(finished(''));
  });

  it('ends where it ends, whatever stands behind it', () => {
    const call = (args: object) => ({ callId: 'a', name: 'read', tokens: { count: 3, method: 'counted' }, args });
    for (const [form, data] of [
      [known(finished(LONG)), finished(LONG)],
      [known(call({ path: 'a' }), CALL), call({ path: ['[', { deep: '}\\"' }] })],
    ] as const) {
      const bytes = Buffer.from(toJson(data));
      const reading = (stop: number) => form.read({ bytes, start: 0, stop, scanner, origin: 0 }, 0);
      scanner.load(bytes, 0, bytes.length);
      expect(reading(bytes.length)).toBeDefined();
      for (let stop = 0; stop < bytes.length; stop += 1) expect(reading(stop)).toBeUndefined();
    }
  });

  it('is left to the whole reading where in place of an object or a list stands something else', () => {
    const form = known({ callId: 'a', name: 'read', tokens: { count: 3, method: 'counted' }, args: {} }, CALL);
    for (const args of ['text', '', '{}', 7, 12, true, null]) {
      expect(read(form, { callId: 'a', name: 'read', tokens: { count: 3, method: 'counted' }, args })).toBeUndefined();
    }
    for (const args of [{}, []]) {
      expect(read(form, { callId: 'a', name: 'read', tokens: { count: 3, method: 'counted' }, args })).toBeDefined();
    }
  });

  it('is found by each of more forms than there are places for', () => {
    const forms = Array.from({ length: 200 }, (_, number) => known(finished(LONG, { more: `number ${number}` })));
    for (const round of [1, 2]) {
      for (const [number, form] of forms.entries()) {
        expect(read(form, finished(LONG, { more: `number ${number}`, durationMs: round }))?.durationMs).toBe(round);
        expect(read(form, finished(LONG, { more: `number ${number + 1}` }))).toBeUndefined();
      }
    }
  });

  it('has no form where the text is the last member, or where too much of it does not vary', () => {
    expect(formOf({ callId: 'a', result: { llmContent: LONG } }, SHAPE)).toBeUndefined();
    expect(formOf(finished('', { more: LONG }), SHAPE)).toBeUndefined();
  });

  it('keeps the beginning of a text where that is asked for, and no half character', () => {
    const message = (text: string) => ({ parts: [{ type: 'text', text }], tokens: { count: 1, method: 'counted' } });
    const form = known(message(LONG), MESSAGE);
    const kept = (text: string) => {
      const { parts } = read(form, message(text), 20) ?? {};
      return (parts as { text: string }[] | undefined)?.[0]?.text;
    };
    expect(kept(LONG)).toBe(LONG.slice(0, 20));
    expect(kept('short')).toBe('short');
    expect(kept(`${'日'.repeat(50)}`)).toBe('日'.repeat(7));
    expect(kept(`${'a'.repeat(19)}😀${LONG}`)).toBe(`${'a'.repeat(19)}😀`);
    for (const character of ['\u0001', '"', '\\', '\\\\u0', '\n', 'é']) {
      for (let before = 10; before <= 20; before += 1) {
        const text = `${'a'.repeat(before)}${character.repeat(3)}${LONG}`;
        expect(text.startsWith(kept(text)!)).toBe(true);
        expect(Buffer.byteLength(toJson(kept(text))) - 2).toBeGreaterThanOrEqual(20);
        expect(kept(text)!.length).toBeLessThanOrEqual(40);
      }
    }
    // Two parts: what is kept would not be one text.
    const two = {
      ...message('a'),
      parts: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    expect(read(form, two, 20)).toBeUndefined();
    expect(readText(form, toJson(message(`x${LONG}`)).replace('x', '\u0001'), 20)).toBeUndefined();
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(LONG, `${LONG}"},"`, `${LONG}\\`, '\ue0000\ue000', `{"result":{"llmContent":"${LONG}"},"a":1}`),
  );
  const tokens = fc.oneof(
    fc.record({ count: fc.oneof(fc.nat(), fc.integer(), fc.double()), method: fc.constantFrom('counted', 'unknown') }),
    fc.dictionary(fc.constantFrom('count', 'method'), fc.nat()),
  );
  const data = fc.record(
    {
      callId: fc.oneof(fc.constantFrom('a', 'b', ''), text),
      result: fc.oneof(fc.record({ llmContent: text }), fc.record({ llmContent: text, more: text }), text),
      tokens,
      durationMs: fc.oneof(fc.nat(), fc.double(), text),
      trusted: fc.constantFrom(false, true),
      llmContent: text,
    },
    { requiredKeys: ['callId', 'result'] },
  );

  it('is the data that parsing finds, with members left out at most, whatever two lines hold', () => {
    fc.assert(
      fc.property(data, data, fc.constantFrom(0, 10), (first, second, keptBytes) => {
        const form = formOf(JSON.parse(toJson(first)) as JsonObject, SHAPE);
        for (const one of [first, { ...first, callId: 'another' }, second]) {
          const part = form && read(form, one, keptBytes);
          if (part !== undefined) expect(isPartOf(part, JSON.parse(toJson(one)))).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is all of what parsing finds where all of a text is asked for', () => {
    const isRead = { whole: 0 };
    fc.assert(
      fc.property(data, data, (first, second) => {
        const form = formOf(JSON.parse(toJson(first)) as JsonObject, SHAPE);
        for (const one of [first, { ...first, callId: 'another' }, second]) {
          const all = form && read(form, one, Number.POSITIVE_INFINITY);
          if (all === undefined || !form?.isWhole) continue;
          isRead.whole += 1;
          expect(JSON.stringify(all)).toBe(JSON.stringify(JSON.parse(toJson(one))));
        }
      }),
      { numRuns: 1000 },
    );
    expect(isRead.whole).toBeGreaterThan(0);
    // What stands behind a text in its own object is none of it.
    const more = { ...finished(LONG), result: { llmContent: LONG, more: 'x' } };
    expect(read(known(finished(LONG)), more, Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(read(known(more), more, Number.POSITIVE_INFINITY)).toEqual(more);
  });

  const raw = fc.constantFrom(
    ...[
      '"callId":"a"',
      '"callId":"b"',
      '"call\\u0049d":"c"',
      '"status":"ok"',
      '"tokens":{"count":1,"method":"counted"}',
    ],
    ...['"tokens":{"count":2,"method":"counted","count":3}', '"durationMs":5', '"durationMs":5.0', '"trusted":false'],
    ...[
      '"result":{"llmContent":"x\\"},\\"tokens\\":{"}',
      '"result":{"llmContent":"x"}',
      '"result":"x"',
      '"status": "ok"',
    ],
    ...['"__proto__":{"count":1}', '"result":{"llmContent":"\\ud83d\\ude00\\u2028é","llmContent":"y"}'],
  );

  it('is never another one for members that come twice, in another order, or written in another way', () => {
    fc.assert(
      fc.property(fc.array(raw, { maxLength: 8 }), fc.array(raw, { maxLength: 8 }), (first, second) => {
        const json = (members: readonly string[]) => `{${members.join(',')}}`;
        const form = formOf(JSON.parse(json(first)) as JsonObject, SHAPE);
        for (const members of [first, second, [...first, ...second], first.toReversed()]) {
          const part = form && readText(form, json(members));
          if (part !== undefined) expect(part).toEqual(withoutText(JSON.parse(json(members)) as JsonObject));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function withoutText(data: JsonObject): JsonObject {
  const { result } = data;
  const hasText = typeof result === 'object' && result !== null && 'llmContent' in result;
  return hasText ? { ...data, result: { ...result, llmContent: '' } } : data;
}

/** Whether `part` is `whole` with members left out, and of the long text the beginning at most. */
function isPartOf(part: unknown, whole: unknown, member = ''): boolean {
  if (typeof part === 'string' && typeof whole === 'string' && member === 'llmContent') return whole.startsWith(part);
  if (!isObject(part) || !isObject(whole)) return Object.is(part, whole);
  return Object.entries(part).every(([name, value]) => name in whole && isPartOf(value, whole[name], name));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
