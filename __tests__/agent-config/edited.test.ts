// An entry is set or taken out, and every other byte of a settings file stays: by cases, and by files of any content.
import { array, assert, constantFrom, dictionary, jsonValue, property, string, tuple } from 'fast-check';
import { jsonFormat } from '../../lib/agent-config/edit-json.ts';
import { tomlFormat } from '../../lib/agent-config/edit-toml.ts';
import { editedSettings, type SettingsFormat } from '../../lib/agent-config/edited.ts';

const VALUE = { command: 'ollm', args: ['mcp', 'serve'] };

function setIn(format: SettingsFormat, member: string) {
  return (text: string) => editedSettings(text, { path: [member], name: 'ollm', value: VALUE }, format);
}

function takenOutOf(format: SettingsFormat, member: string) {
  return (text: string) => editedSettings(text, { path: [member], name: 'ollm', value: undefined }, format);
}

describe('an entry in JSON', () => {
  const set = setIn(jsonFormat, 'servers');
  const take = takenOutOf(jsonFormat, 'servers');
  const compact = '"ollm":{"command":"ollm","args":["mcp","serve"]}';

  it.each([
    ['into a file of one line', '{"a":1}', `{"a":1,"servers":{${compact}}}`],
    ['after a space, if others have one', '{"servers": {"b": 2}}', `{"servers": {"b": 2, ${spaced(compact)}}}`],
    ['into an empty group', '{"servers":{},"b":2}', `{"servers":{${compact}},"b":2}`],
    ['after a comma that ends the list', '{"servers":{"b":2,}}', `{"servers":{"b":2,${compact},}}`],
    ['in place of the one that is there', '{"servers":{"ollm":{"url":"x"},"b":2}}', `{"servers":{${compact},"b":2}}`],
  ])('is added %s', (_, text, expected) => {
    expect(set(text)).toBe(expected);
  });

  it('has the indentation, the line ends and the byte order mark of the file, and comments stay at their lines', () => {
    const text = '\u{feff}{\r\n\t"servers": {\r\n\t\t"b": {} // of b\r\n\t\t// the end\r\n\t}\r\n}\r\n';
    const entry = [
      '\t\t"ollm": {',
      '\t\t\t"command": "ollm",',
      '\t\t\t"args": [',
      '\t\t\t\t"mcp",',
      '\t\t\t\t"serve"',
      '\t\t\t]',
      '\t\t}\r\n',
    ].join('\r\n');
    expect(set(text)).toBe(text.replace('{} // of b\r\n', `{}, // of b\r\n${entry}`));
  });

  it('creates a missing file, and fills an empty one', () => {
    for (const text of ['', ' \n'])
      expect(set(text)).toBe(`${JSON.stringify({ servers: { ollm: VALUE } }, null, 2)}\n`);
    expect(JSON.parse(set('{}')!)).toEqual({ servers: { ollm: VALUE } });
    expect(set('{ // nothing yet\n}\n')).toMatch(/^\{ \/\/ nothing yet\n {2}"servers": \{\n[\s\S]*\}\n$/);
  });

  it.each([
    ['that is not JSON', '[', undefined],
    ['with a group that comes twice', '{"servers":{"a":1},"servers":{}}', undefined],
    ['with a null for a group', '{"servers":null}', undefined],
    ['with a list for a group', '{"servers":[]}', undefined],
    ['that is a list', '[1]', undefined],
    ['deeper than the stack', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, undefined],
  ])('is not added to a file %s', (_, text, expected) => {
    expect(set(text)).toBe(expected);
  });

  it.each([
    [
      'first',
      '{\n  "servers": {\n    "ollm": {}, // ours\n    "b": 1\n  }\n}\n',
      '{\n  "servers": {\n    "b": 1\n  }\n}\n',
    ],
    [
      'last, with the comma before it',
      '{\n  "servers": {\n    "b": 1, // one, two\n    "ollm": {}\n  }\n}\n',
      '{\n  "servers": {\n    "b": 1 // one, two\n  }\n}\n',
    ],
    ['between two on a line', '{"servers":{"a":1, "ollm":{}, "b":2}}', '{"servers":{"a":1, "b":2}}'],
  ])('is removed if it is %s', (_, text, expected) => {
    expect(take(text)).toBe(expected);
  });

  it('is added to any file and removed again, and the file is as before', () => {
    const names = string({ unit: 'grapheme', maxLength: 6 }).filter(
      (name) => !/^(?:ollm|servers|__proto__)$/.test(name),
    );
    const others = dictionary(names, jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
    const servers = dictionary(names, jsonValue({ maxDepth: 2 }), { minKeys: 1, noNullPrototype: true });
    const layout = tuple(
      constantFrom(undefined, 1, 2, 4, '\t'),
      constantFrom('\n', '\r\n'),
      constantFrom('', '\u{feff}'),
    );
    assert(
      property(others, servers, layout, (before, group, [indent, lineBreak, mark]) => {
        const json = JSON.stringify({ ...before, servers: group, last: true }, null, indent);
        const text = mark + json.replaceAll('\n', lineBreak);
        const edited = set(text)!;
        expect(JSON.parse(edited.slice(mark.length)).servers).toEqual({
          ...JSON.parse(text.slice(mark.length)).servers,
          ollm: VALUE,
        });
        expect(take(edited)).toBe(text);
      }),
    );
  });
});

describe('an entry in TOML', () => {
  const set = setIn(tomlFormat, 'mcp_servers');
  const take = takenOutOf(tomlFormat, 'mcp_servers');
  const table = '[mcp_servers.ollm]\ncommand = "ollm"\nargs = [ "mcp", "serve" ]\n';

  it.each([
    ['an empty file', '', table],
    ['a file without a last line end', '# mine\na = 1', `# mine\na = 1\n\n${table}`],
    [
      'tables in any form',
      '[mcp_servers]\nb = { command = "c" }\n',
      `[mcp_servers]\nb = { command = "c" }\n\n${table}`,
    ],
    ['dotted names', 'mcp_servers.b.command = "c"\n', `mcp_servers.b.command = "c"\n\n${table}`],
    ['numbers and dates of any size', 'n = 12345678901234567890\nd = 2020-01-01\n', undefined],
    ['a byte order mark', '\u{feff}a = 1\n', `\u{feff}a = 1\n\n${table}`],
  ])('is added after %s', (_, text, expected) => {
    expect(set(text)).toBe(expected ?? `${text}\n${table}`);
  });

  it('has the line ends of the file', () => {
    expect(set('a = 1\r\n')).toBe(`a = 1\r\n\r\n${table.replaceAll('\n', '\r\n')}`);
  });

  it('replaces the existing one, with the tables inside it', () => {
    const text =
      '# top\n[mcp_servers.ollm]\ncommand = "old"\n[ mcp_servers . ollm . env ]\nA = "b"\n\n# of z\n[z]\na = 1\n';
    expect(set(text)).toBe(`# top\n${table}\n# of z\n[z]\na = 1\n`);
    expect(take(text)).toBe('# top\n\n# of z\n[z]\na = 1\n');
  });

  it('is added to any file that ends with a line and removed again, and the file is as before', () => {
    for (const text of [
      '',
      'a = 1\n',
      '# mine\n\n',
      '[z]\r\na = 1\r\n',
      '[mcp_servers.b]\nurl = "x" # of b\n\n# end\n',
    ]) {
      expect([text, take(set(text)!)]).toEqual([text, text]);
    }
    expect(take(`a = 1\n\n${table}\n# of z\n[z]\n`)).toBe('a = 1\n\n# of z\n[z]\n');
  });

  it('keeps its comments, its order, its indentation and its other lines where a member of it changes', () => {
    const text = [
      ...[
        '[mcp_servers.ollm]',
        '  # the program',
        '  command = "old#1" # why',
        'args = [',
        '  "mcp", # one',
        '  "serve",',
      ],
      ...[
        ']',
        'cwd = "/x"  # where',
        '',
        '[mcp_servers.ollm.env] # mine',
        'B = "2" # two',
        "A = '1'",
        '',
        '# of z',
        '[z]',
        '',
      ],
    ].join('\r\n');
    const edit = (value: object) => editedSettings(text, { path: ['mcp_servers'], name: 'ollm', value }, tomlFormat);
    const env = { B: '2', A: '1' };
    const old = { ...VALUE, command: 'old#1', cwd: '/x', env };
    expect(edit(old)).toBe(text);
    expect(edit({ ...old, command: 'new' })).toBe(text.replace('"old#1"', '"new"'));
    expect(edit({ ...old, env: { ...env, A: '#3' } })).toBe(text.replace("A = '1'", 'A = "#3"'));
    expect(edit({ ...old, env: { ...env, C: '3' } })).toBe(text.replace("A = '1'\r\n", 'A = \'1\'\r\nC = "3"\r\n'));
    expect(edit({ ...VALUE, command: 'old#1', env })).toBe(text.replace('cwd = "/x"  # where\r\n', ''));
    expect(edit({ ...old, args: ['x'] })).toBe(text.replace(/args = \[[^\]]*\]/, 'args = [ "x" ]'));
    const without = text.replace(/\r\n\[mcp_servers\.ollm\.env\][\s\S]*'1'\r\n/, '');
    expect(edit({ ...VALUE, command: 'old#1', cwd: '/x' })).toBe(without);
  });

  it.each([
    ['that is not TOML', 'a = 1\na = 2\n'],
    ['with the group in one line', 'mcp_servers = {}\n'],
    ['with a number for the group', 'mcp_servers = 3\n'],
    ['with the entry in one line', '[mcp_servers]\nollm = { command = "old" }\n'],
    ['with its header in a text', 'a = """\n[mcp_servers.ollm]\n"""\n'],
  ])('is not added to a file %s', (_, text) => {
    expect(set(text)).toBeUndefined();
  });

  it('is not removed from a line that it shares', () => {
    expect(take('[mcp_servers]\nollm = { command = "old" }\n')).toBeUndefined();
  });
});

function spaced(member: string): string {
  return member.replace('":{', '": {');
}

describe('a list in JSON', () => {
  const edit = (value: unknown) => (text: string) =>
    editedSettings(text, { path: ['hooks'], name: 'Stop', value }, jsonFormat);

  it.each([
    ['in one line', '{"hooks":{"Stop":[1, 2]},"b":3}', [1, 2, { a: 4 }], '{"hooks":{"Stop":[1, 2,{"a":4}]},"b":3}'],
    [
      'over lines',
      '{\n  "hooks": {\n    "Stop": [\n      1 // one\n    ]\n  }\n}\n',
      [1, 2],
      '{\n  "hooks": {\n    "Stop": [\n      1, // one\n      2\n    ]\n  }\n}\n',
    ],
    ['without an element', '{"hooks":{"Stop":[ ]}}', [1], '{"hooks":{"Stop":[1]}}'],
    ['with one element removed', '{"hooks":{"Stop":[1 , 2/* two */,3]}}', [1, 3], '{"hooks":{"Stop":[1 , 3]}}'],
  ])('%s is changed only at its elements', (_, text, value, expected) => {
    expect(edit(value)(text)).toBe(expected);
  });

  it('has the wanted elements, and the rest of the file is equal', () => {
    const elements = array(jsonValue({ maxDepth: 1 }), { maxLength: 4 });
    assert(
      property(elements, elements, jsonValue(), constantFrom(undefined, 2, '\t'), (before, added, other, indent) => {
        const value = [...before.filter((_, index) => index % 2 === 0), ...added];
        const text = JSON.stringify({ other, hooks: { Stop: before, b: 1 } }, null, indent);
        const edited = edit(value)(text);
        expect(jsonFormat.parse(edited ?? '')).toEqual(
          JSON.parse(JSON.stringify({ other, hooks: { Stop: value, b: 1 } })),
        );
      }),
      { numRuns: 200 },
    );
  });
});
