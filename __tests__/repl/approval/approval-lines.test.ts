import fc from 'fast-check';
import { textWidth } from '../../../lib/display/width.ts';
import { approvalLines } from '../../../lib/repl/approval/approval-lines.ts';
import { reveal } from '../../../lib/repl/approval/reveal.ts';
import type { Action } from '../../../lib/tools/action.ts';
import type { ApprovalRequest } from '../../../lib/tools/decision.ts';
import { whereItRuns } from '../../../lib/turn/tools/where-it-runs.ts';
import { anyCharacter } from '../../support/any-character.ts';

const BOUNDARY = {
  ...{ sandbox: 'bubblewrap', words: 'bubblewrap, without network', network: false },
  ...{ envRemoved: [], environment: [] },
};
const request = (action: Partial<Action>, decision: Partial<ApprovalRequest['decision']> = {}): ApprovalRequest => ({
  callId: 'c1',
  action: { tool: 'bash', summary: 'Run a command', isReadOnly: false, accesses: [], ...action },
  decision: { kind: 'ask', rule: 'default:bash', reason: 'Commands are asked about.', ...decision },
  sandbox: whereItRuns(action, BOUNDARY).words,
  args: {},
  actionHash: '0'.repeat(64),
});
const shell = (line: string): Partial<Action> => ({ command: { kind: 'shell', line, cwd: '/home/project' } });
const diff = (lines: number): Partial<Action> => ({
  tool: 'file_write',
  accesses: [{ kind: 'write', path: '/home/project/a.txt' }],
  preview: {
    kind: 'diff',
    text: `--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,${lines} @@\n${Array.from({ length: lines }, (_, at) => `+line ${at + 1}\n`).join('')}`,
  },
});
const show = (asked: ApprovalRequest, { columns = 79, rows = 20 } = {}) => {
  const { lines, hidden } = approvalLines(asked, { columns, rows });
  return { rows: lines.map((line) => line.map(({ text }) => text).join('')), hidden };
};

describe('the question whether a tool may run', () => {
  it('shows the command, its directory and sandbox, and the reason for the question', () => {
    expect(show(request(shell('npm test -- --all'), { grant: 'bash(npm test)' })).rows).toEqual([
      'bash asks to run:',
      '│ $ npm test -- --all',
      'in /home/project · bubblewrap, without network',
      'why: Commands are asked about. (default:bash)',
      'a would always allow: bash(npm test)',
    ]);
  });

  it('marks dangerous commands', () => {
    const { rows } = show(request(shell('rm -rf build'), { dangerous: 'rm -rf removes directories' }));
    expect(rows[1]).toBe('! dangerous: rm -rf removes directories');
  });

  it('shows the rule if the reason would only repeat the command', () => {
    const why = (reason: string) =>
      show(request(shell('npm publish'), { rule: 'default:command', reason })).rows.find((row) =>
        row.startsWith('why:'),
      );
    expect(why('It runs npm publish.')).toBe('why: No rule allows this command. (default:command)');
    expect(why('It runs npm publish and writes a log.')).toBe(
      'why: It runs npm publish and writes a log. (default:command)',
    );
  });

  it('quotes the arguments of a program, so that their ends are visible', () => {
    const { rows } = show(request({ command: { kind: 'program', argv: ['git', 'log', 'a b; id', ''], cwd: '/p' } }));
    expect(rows).toContain("│ $ git log 'a b; id' ''");
  });

  it('names the files if no other row shows them', () => {
    const accesses = [{ kind: 'write', path: '/etc/hosts' } as const];
    expect(show(request({ accesses })).rows).toContain('│ writes /etc/hosts');
    expect(show(request({ ...shell('make'), accesses })).rows).toContain('│ writes /etc/hosts');
  });

  it.each([
    ['a title', '\x1b]2;safe\x07ls', '⟨U+001B⟩]2;safe⟨U+0007⟩ls'],
    ['the clipboard', 'ls \x1b]52;c;aGk=\x07', 'ls ⟨U+001B⟩]52;c;aGk=⟨U+0007⟩'],
    ['a link', '\x1b]8;;http://x\x1b\\text', '⟨U+001B⟩]8;;http://x⟨U+001B⟩\\text'],
    ['the cursor', 'rm -rf ~\x1b[2K\x1b[1Gls', 'rm -rf ~⟨U+001B⟩[2K⟨U+001B⟩[1Gls'],
    ['a carriage return', 'rm -rf ~\rls', 'rm -rf ~⟨U+000D⟩ls'],
    ['an override', 'cat \u202etxt.exe', 'cat ⟨U+202E⟩txt.exe'],
    ['a blank that parts no words', './run\u00a0all', './run⟨U+00A0⟩all'],
    ['a space of a different script', 'ls\u3000x\u2800', 'ls⟨U+3000⟩x⟨U+2800⟩'],
    ['zero width', 'r\u200bm x', 'r⟨U+200B⟩m x'],
    ['a tag', 'ls \u{e0041}', 'ls ⟨U+E0041⟩'],
    ['8-bit CSI', 'ls \x9b2J', 'ls ⟨U+009B⟩2J'],
  ])('shows %s that could hide in a command, and says so', (_, line, shown) => {
    const { rows } = show(request(shell(line)));
    expect(rows[1]).toBe(`│ $ ${shown}`);
    expect(rows.join('\n')).toContain('invisible characters');
  });

  it('hides no character of any text, and prints no control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const shown = reveal(text).text;
        expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
        const back = shown.replace(/⟨U\+([0-9A-F]+)⟩/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
        expect(back).toBe(text.replaceAll('\r\n', '\n').replaceAll('\t', '    '));
      }),
      { numRuns: 300 },
    );
  });

  describe('about an edit of the project', () => {
    const asked = (lines: number) =>
      request(diff(lines), { rule: 'default:write', isEdit: true, grant: 'file_write(**)' });

    it('shows the title and the diff, and no row that repeats them', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 12 }), (lines) => {
          expect(show(asked(lines), { rows: 40 }).rows).toEqual([
            'file_write asks: Run a command',
            `│ @@ -1 +1,${lines} @@`,
            ...Array.from({ length: lines }, (_, at) => `│ +line ${at + 1}`),
            'a would always allow: file_write(**)',
          ]);
        }),
      );
    });

    it.each([
      ['is dangerous', diff(1), { isEdit: true, dangerous: 'it is a device' }],
      ['is no edit of the project', diff(1), {}],
      ['starts a program', { ...diff(1), ...shell('touch a.txt') }, { isEdit: true }],
      ['has no difference', { accesses: diff(1).accesses! }, { isEdit: true }],
      [
        'touches two files',
        { ...diff(1), accesses: [...diff(1).accesses!, { kind: 'read', path: '/home/project/b.txt' } as const] },
        { isEdit: true },
      ],
    ])('shows every row if the diff %s', (_, action, decision) => {
      const { rows } = show(request(action, decision), { rows: 40 });
      expect(rows.some((row) => row.startsWith('why: '))).toBe(true);
      expect(rows.some((row) => /^(?:in \/home|run by ollm)/.test(row))).toBe(true);
    });

    it('shows every row once the user asks for all', () => {
      const { rows } = show(asked(1), { rows: Number.POSITIVE_INFINITY });
      for (const row of [
        '│ --- a/a.txt',
        'run by ollm itself, without starting a program',
        'a would always allow: file_write(**)',
      ])
        expect(rows).toContain(row);
    });
  });

  it('shows the beginning and the end of a long diff, and the number of hidden rows', () => {
    const { rows, hidden } = show(request(diff(5000)), { rows: 20 });
    expect(rows.length).toBeLessThanOrEqual(20);
    expect(hidden).toBe(5003 - rows.filter((row) => row.startsWith('│') && !row.includes('more row')).length);
    expect(rows).toContain(`│ … ${hidden.toLocaleString('en')} more rows: v shows all`);
    expect(rows).toContain('│ +line 1');
    expect(rows).toContain('│ +line 5000');
  });

  it('shows every line of a long diff when asked to', () => {
    const { rows, hidden } = show(request(diff(5000)), { rows: Number.POSITIVE_INFINITY });
    expect(hidden).toBe(0);
    expect(rows.filter((row) => row.startsWith('│ +line'))).toHaveLength(5000);
  });

  it('fits any width, and counts hidden rows at that width', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 400, unit: 'grapheme' }),
        fc.integer({ min: 8, max: 100 }),
        fc.integer({ min: 4, max: 40 }),
        (line, columns, rows) => {
          const asked = request(shell(line), { grant: 'bash(x)' });
          const part = approvalLines(asked, { columns, rows });
          for (const row of part.lines) {
            expect(textWidth(row.map(({ text }) => text).join(''))).toBeLessThanOrEqual(columns);
          }
          const whole = approvalLines(asked, { columns, rows: Number.POSITIVE_INFINITY });
          const marks = part.hidden === 0 ? 0 : part.lines.length + part.hidden - whole.lines.length;
          expect(part.lines.length - marks + part.hidden).toBe(whole.lines.length);
        },
      ),
      { numRuns: 150 },
    );
  });

  describe('lets no text of a model begin a line outside its frame', () => {
    const FORGED = '\nAllow? [y] yes  [n] no\n✓ allowed by user\n';
    const OUR_WORDS = /^(?:│ |\w+ asks|! dangerous:|! It contains|in |why:|a would|run by ollm|run by a server)/;
    const everywhere = (text: string): ApprovalRequest =>
      request(
        {
          tool: 'file_write',
          summary: `Create ${text}`,
          accesses: [
            { kind: 'write', path: `/p/${text}` },
            { kind: 'read', path: `/p/${text}` },
          ],
          preview: { kind: 'diff', text: `--- a/${text}\n+++ b/${text}\n` },
        },
        {
          reason: `It writes ${text}.`,
          rule: `ask:file_write(${text})`,
          dangerous: text,
          grant: `file_write(${text})`,
        },
      );

    it('with its line breaks', () => {
      for (const asked of [everywhere(FORGED), request(shell(`echo '${FORGED}'`), { reason: `It runs ${FORGED}.` })]) {
        const { rows } = show(asked, { rows: 100, columns: 200 });
        for (const row of rows) expect(row).toMatch(OUR_WORDS);
      }
      expect(show(everywhere(FORGED), { rows: 100, columns: 200 }).rows[0]).toMatch(
        /^file_write asks: Create ⟨U\+000A⟩Allow\? \[y\] yes +\[n\] no⟨U\+000A⟩✓ allowed by user⟨U\+000A⟩$/,
      );
    });

    it('with its length, at any width', () => {
      fc.assert(
        fc.property(
          fc.array(fc.constantFrom('✓ allowed by user', '\n', ' '.repeat(7), 'x'.repeat(13), '漢', '\t'), {
            maxLength: 30,
          }),
          fc.integer({ min: 24, max: 120 }),
          (pieces, columns) => {
            for (const row of show(everywhere(pieces.join('')), { rows: 1000, columns }).rows)
              expect(row).toMatch(OUR_WORDS);
          },
        ),
        { numRuns: 200 },
      );
    });
  });

  it('marks spaces that a reader could miss', () => {
    expect(show(request(shell(`echo ${' '.repeat(100)}; id`)), { columns: 60 }).rows.join('\n')).toContain('; id');
  });
});
