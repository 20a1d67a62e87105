import fc from 'fast-check';
import { parse } from 'yaml';
import { editedText } from '../../lib/config/edit-text.ts';
import { valueAt, withValue } from '../../lib/config/keys.ts';
import { canonicalJson } from '../../lib/platform/json.ts';

const path = '/home/me/.ollm/config.yaml';
const edit = (text: string, key: string, value: unknown) => editedText(text, { keys: key.split('.'), value, path });

const name = fc.constantFrom('a', 'b', 'c', 'model', 'providers', 'log', 'x1');
const scalar = fc.oneof(
  fc.constantFrom(
    'true',
    'null',
    '~',
    '1',
    '1.50',
    '',
    ' x',
    'a: b',
    '# no',
    '- x',
    'tu vès',
    "'",
    '"',
    '*a',
    '&a',
    '!x',
  ),
  fc.integer(),
  fc.boolean(),
  fc.string(),
);
const value = fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }));

/** A file as people write them: groups, lists, blank lines, and comments above and after settings. */
interface Written {
  readonly lines: readonly string[];
}
let comments = 0;
function nextNumber(): number {
  comments += 1;
  return comments;
}
const comment = fc.option(
  fc.constantFrom('why', 'model: off', 'TODO: “later”', '#').map((text) => `# ${text}`),
  { freq: 2, nil: undefined },
);
const leaf = fc.record({
  above: comment,
  after: comment,
  value: fc.constantFrom('1', 'x', '"q"', "'r'", 'true', '0.50'),
});
const leaves = fc.uniqueArray(fc.record({ name, leaf }), { selector: (each) => each.name, maxLength: 3 });
const group = fc.record({ above: comment, blank: fc.boolean(), inside: leaves, leaf });
const file = fc
  .uniqueArray(fc.record({ name, group }), { selector: (each) => each.name, maxLength: 4 })
  .map((groups): Written => {
    const numbered = (text: string | undefined) => (text === undefined ? [] : [`${text} ${nextNumber()}`]);
    const row = (
      indent: string,
      key: string,
      { above, after, value }: typeof leaf extends fc.Arbitrary<infer T> ? T : never,
    ) => [
      ...numbered(above).map((each) => `${indent}${each}`),
      [`${indent}${key}: ${value}`, ...numbered(after)].join(' '),
    ];
    return {
      lines: groups.flatMap(({ name: key, group: { above, blank, inside, leaf: own } }, index) => [
        ...(blank && index > 0 ? [''] : []),
        ...(inside.length === 0
          ? row('', key, own)
          : [...numbered(above), `${key}:`, ...inside.flatMap((each) => row('  ', each.name, each.leaf))]),
      ]),
    };
  });

describe('a setting changed in the text of a configuration file', () => {
  it('changes no other line, and keeps each in its place', () =>
    fc.assert(
      fc.asyncProperty(file, fc.array(name, { minLength: 1, maxLength: 2 }), value, async ({ lines }, keys, to) => {
        const text = lines.map((line) => `${line}\n`).join('');
        const data = (parse(text) ?? {}) as object;
        fc.pre(
          keys.length === 1
            ? !isGroup(valueAt(data, keys[0]!))
            : valueAt(data, keys[0]!) === undefined || isGroup(valueAt(data, keys[0]!)),
        );
        const changed = await edit(text, keys.join('.'), to);
        expect(canonicalJson(parse(changed))).toBe(canonicalJson(withValue(data, keys.join('.'), to)));
        const own = new RegExp(`^ *${keys.at(-1)}:`);
        expect(changed.split('\n')).toEqual(expect.arrayContaining(lines.filter((line) => !own.test(line))));
        for (const each of commentsIn(text)) expect(changed).toContain(each);
        expect(orderIn(changed, lines)).toEqual(orderIn(text, lines));
      }),
      { numRuns: 300 },
    ));

  it('is removed together with only the comment on its own line', () =>
    fc.assert(
      fc.asyncProperty(file, fc.nat(), async ({ lines }, nth) => {
        const text = lines.map((line) => `${line}\n`).join('');
        const data = (parse(text) ?? {}) as Record<string, unknown>;
        const keys = Object.entries(data).flatMap(([key, inner]) =>
          isGroup(inner) ? Object.keys(inner as object).map((each) => `${key}.${each}`) : [key],
        );
        fc.pre(keys.length > 0);
        const key = keys[nth % keys.length]!;
        const changed = await edit(text, key, undefined);
        expect(valueAt(parse(changed) ?? {}, key)).toBeUndefined();
        for (const other of keys) {
          if (other !== key) expect(valueAt(parse(changed), other)).toEqual(valueAt(data, other));
        }
        const own = lines.filter((line) => line.trim().startsWith('#'));
        for (const each of own) expect(changed).toContain(each.trim());
      }),
      { numRuns: 300 },
    ));

  it.each([
    ['an empty file', '', 'a.b', 1, 'a:\n  b: 1\n'],
    ['a file of comments', '# mine\n', 'a', 'x', '# mine\n\na: x\n'],
    ['a group of which everything is commented out', 'a:\n  # b: 1\nc: 2\n', 'a.b', 3, 'a:\n  # b: 1\n  b: 3\nc: 2\n'],
    ['a file with four spaces', 'a:\n    b: 1\n', 'a.c', 2, 'a:\n    b: 1\n    c: 2\n'],
    ['a list without indentation', 'a:\n- x\n- y\nb: 1\n', 'b', 2, 'a:\n- x\n- y\nb: 2\n'],
    ['the line ends of Windows', 'a: 1\r\n# c\r\nb: 2\r\n', 'b', 3, 'a: 1\r\n# c\r\nb: 3\r\n'],
    ['a text that would be folded', `a: ${'long '.repeat(40)}end\n`, 'b', 1, `a: ${'long '.repeat(40)}end\nb: 1\n`],
    ['the only setting, taken out', '# mine\n\na: 1\n', 'a', undefined, '# mine\n\n'],
  ])('keeps the form of %s', async (_name, text, key, to, expected) => {
    expect(await edit(text, key, to)).toBe(expected);
  });

  it.each([
    ['an alias in the way', 'a: &x\n  b: 1\nc: *x\n', 'c.b'],
    ['an anchor that others name', 'a: &x 1\nc: *x\n', 'a'],
    ['several documents', 'a: 1\n---\na: 2\n', 'a'],
    ['a list', '- a\n', 'a'],
    ['a value in place of a group', 'a: 1\n', 'a.b'],
    ['no YAML', 'a: [\n', 'a'],
  ])('is refused in a file with %s, which stays unchanged', async (_name, text, key) => {
    await expect(edit(text, key, 5)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('edit'),
    });
  });
});

function isGroup(data: unknown): boolean {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function commentsIn(text: string): string[] {
  return [...text.matchAll(/# .* \d+$/gm)].map(([each]) => each);
}

/** The lines of the file that are still there, in their order. */
function orderIn(text: string, lines: readonly string[]): string[] {
  const kept = new Set(lines.filter((line) => line.trim() !== ''));
  return text
    .split('\n')
    .filter((line) => kept.has(line) && commentsIn(line).length > 0 && line.trim().startsWith('#'));
}
