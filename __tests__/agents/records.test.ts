import fc from 'fast-check';
import { openSource } from '../../lib/agents/open-source.ts';
import { type RecordStep, recordsOfDocument, recordsOfLines } from '../../lib/agents/records.ts';
import { memoryFileSystem } from '../../lib/platform/index.ts';

const PATH = '/source';

describe('the records of a file of lines', () => {
  it('are the objects of each line, at their places in bytes, with any line break or none at the end', () => {
    const record = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    const line = fc.tuple(
      fc.array(record, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('\n', '\r\n', '\n\n', ' \n'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.boolean(), (lines, isEnded) => {
        const text = lines.map(([objects, end]) => objects.map((each) => JSON.stringify(each)).join('') + end).join('');
        const bytes = Buffer.from(isEnded ? text : text.trimEnd());
        const steps = stepsOf(bytes);
        const expected = lines.flatMap(([objects]) =>
          objects.map((each) => JSON.parse(JSON.stringify(each)) as object),
        );
        expect(steps.map((step) => (step.kind === 'record' ? step.record : step))).toEqual(expected);
        for (const step of steps) {
          if (step.kind !== 'record') continue;
          const { position, length, record } = step;
          expect(JSON.parse(bytes.toString('utf8', position, position + length))).toEqual(record);
        }
      }),
    );
  });

  it.each(['{}', '{} x', '{"a":1}', '{"', '{ '])(
    'of a line of only %j are at most 10,000, the rest is damage, and the next line is read',
    (glued) => {
      const steps = stepsOf(Buffer.from(`${glued.repeat((4 * 2 ** 20) / glued.length)}\n{"last":1}\n`));
      const records = steps.filter(({ kind }) => kind === 'record');
      expect(records.length).toBeLessThanOrEqual(10_001);
      expect(records.at(-1)).toMatchObject({ record: { last: 1 } });
      expect(steps.some(({ kind }) => kind === 'damage')).toBe(true);
    },
  );

  it('of a long line in which objects begin and none ends are found in one pass', () => {
    let starts = 0;
    const exec = RegExp.prototype.exec;
    RegExp.prototype.exec = function (text) {
      if (this.source === '["{}[\\]]' && this.lastIndex !== 0) starts += 1;
      return exec.call(this, text);
    };
    try {
      stepsOf(Buffer.from(`${'{"'.repeat(2 ** 20)}\n`));
      const short = starts;
      starts = 0;
      stepsOf(Buffer.from(`${'{"'.repeat(10 * 2 ** 20)}\n`));
      expect(short).toBeGreaterThan(2 ** 20);
      expect(starts).toBeLessThan(40 * 2 ** 20);
    } finally {
      RegExp.prototype.exec = exec;
    }
  });

  it('do not include a line that is too long, which is damage of its length, and the next line is read', () => {
    const long = JSON.stringify({ text: 'x'.repeat(5000) });
    const steps = stepsOf(Buffer.from(`{"a":1}\n${long}\n{"b":2}\n${long}`), { maxRecordBytes: 1000, chunkBytes: 100 });
    expect(withoutPauses(steps)).toMatchObject([
      { kind: 'record', record: { a: 1 } },
      { kind: 'damage', damage: { kind: 'oversize', offset: 8, length: long.length, line: 2 } },
      { kind: 'record', record: { b: 2 } },
      { kind: 'damage', damage: { kind: 'oversize', line: 4 } },
    ]);
    expect(steps.some(({ kind }) => kind === 'pause')).toBe(true);
  });

  it('do not include an object inside a broken one, but one that was glued to it', () => {
    const steps = stepsOf(Buffer.from('{"a":{"b":1},"c":[{"d":2}]\n{"e":"cut{"f":3}\n'));
    expect(steps).toMatchObject([
      { kind: 'damage', damage: { offset: 0, length: 26, line: 1 } },
      { kind: 'damage', damage: { offset: 27, length: 9, line: 2 } },
      { kind: 'record', record: { f: 3 }, position: 36, length: 7 },
    ]);
  });

  it('do not include an unfinished last line, which is damage, or expected if the file may grow', () => {
    const bytes = Buffer.from('{"a":1}\n{"b":');
    expect(stepsOf(bytes).at(-1)).toMatchObject({
      damage: { kind: 'torn-tail', offset: 8, length: 5 },
      end: undefined,
    });
    expect(stepsOf(bytes, { isGrowing: true })).toHaveLength(1);
    expect(stepsOf(Buffer.from('{"a":1}\n{"b":2}'), { isGrowing: true })).toHaveLength(2);
  });
});

describe('the records of a document', () => {
  it('are its header and the elements of its list, at their places in bytes', () => {
    const member = fc.jsonValue();
    const elements = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { maxLength: 6 });
    fc.assert(
      fc.property(member, elements, member, fc.constantFrom(undefined, 2, '\t'), (before, list, after, space) => {
        const bytes = Buffer.from(JSON.stringify({ before, id: 'x', list, '\u{1F600}': after }, undefined, space));
        const steps = documentSteps(bytes);
        const [head, ...rest] = steps.map((step) => (step.kind === 'record' ? step.record : step));
        expect(head).toEqual({ id: 'x' });
        expect(rest).toEqual(JSON.parse(JSON.stringify(list)));
        for (const step of steps.slice(1)) {
          if (step.kind !== 'record') continue;
          const { position, length, record } = step;
          expect(JSON.parse(bytes.toString('utf8', position, position + length))).toEqual(record);
        }
      }),
    );
  });

  it('do not include an element that is not an object, which is damage, and the rest is read', () => {
    const steps = documentSteps(Buffer.from('{"list":[{"a":1},7,"x",[],null,{"b":2}]}'));
    expect(steps.map(({ kind }) => kind)).toEqual([
      'record',
      'record',
      'damage',
      'damage',
      'damage',
      'damage',
      'record',
    ]);
  });

  it.each(['', '[]', '{"list":[{"a":1}', 'x', '{"list":{}}', '{"list":[]} {}'])(
    'are at most one for the text “%s”',
    (text) => {
      expect(documentSteps(Buffer.from(text)).filter(({ kind }) => kind === 'record').length).toBeLessThan(2);
    },
  );

  it('do not include one that is too long, which is damage', () => {
    expect(documentSteps(Buffer.from(`{"list":[${'1,'.repeat(100)}1]}`), 100)).toMatchObject([
      { kind: 'damage', damage: { kind: 'oversize', length: 212 } },
    ]);
  });
});

function handleOf(bytes: Uint8Array) {
  const fileSystem = memoryFileSystem();
  const handle = fileSystem.open(PATH, 'create');
  for (let at = 0; at < bytes.length; ) at += handle.write(bytes.subarray(at));
  handle.close();
  return openSource({ fileSystem, uid: undefined }, PATH);
}

function stepsOf(bytes: Buffer, limits: Partial<Parameters<typeof recordsOfLines>[1]> = {}): RecordStep[] {
  return [...recordsOfLines(handleOf(bytes), { from: 0, to: bytes.length, ...limits })];
}

function documentSteps(bytes: Buffer, maxBytes?: number): RecordStep[] {
  return [...recordsOfDocument(handleOf(bytes), { kind: 'document', header: ['id'], list: 'list' }, maxBytes)];
}

function withoutPauses(steps: readonly RecordStep[]): RecordStep[] {
  return steps.filter(({ kind }) => kind !== 'pause');
}
