// What helps the hands at the prompt of a real terminal: earlier input, files by some letters of their path, an editor
// for the text of a file, and a notice when a long turn ends.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome, type Home } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import { BELL, type Terminal } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const CTRL_R = '\x12';
const CTRL_C = '\x03';
const CTRL_U = '\x15';
const ESCAPE = '\x1b';
const DOWN = '\x1b[B';

function open(
  home: Home,
  { columns = 80, args = ['--provider', 'offline'], env = {} as Readonly<Record<string, string>> } = {},
): Terminal {
  return openTerminalHere(['repl', ...args, '--name', 'talk'], {
    columns,
    rows: 24,
    cwd: join(home.path, 'project'),
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), ...env },
  });
}

function homeWith(...files: readonly string[]): Home {
  const home = createHome();
  // Files next to the sessions are hidden from tools.
  for (const directory of ['project/.git', '.ollm']) mkdirSync(join(home.path, directory), { recursive: true });
  for (const file of files) {
    const path = join(home.path, 'project', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'hello\n');
  }
  return home;
}
const squeezed = (text: string) => text.replaceAll(' ', '');
const shows = (wanted: RegExp) => (lines: readonly string[]) => lines.some((line) => wanted.test(line));
const last = (wanted: RegExp) => (lines: readonly string[]) => wanted.test(lines.at(-1)!);

describe('Ctrl+R', () => {
  it.each([40, 80, 120])(
    'finds earlier input by its words at %i columns, and leaves no rows on the screen',
    async (columns) => {
      using home = homeWith();
      writeFileSync(join(home.path, '.ollm/history'), '"fix the mast"\n"paint the mast\\nred"\n"/usage"\n');
      await using terminal = open(home, { columns });
      await terminal.waitFor(PROMPT);
      terminal.type(`mast${CTRL_R}`);
      await terminal.waitUntil(shows(/^Earlier input: 2/), 'the list');
      terminal.type(DOWN);
      await terminal.waitUntil(shows(/^▸ fix the mast$/), 'the second one');
      terminal.type('\r');
      await terminal.waitUntil(last(/^> fix the mast$/), 'the line');
      expect(terminal.lines().join('\n')).not.toContain('Earlier input');
      terminal.type(`${CTRL_U}half a line${CTRL_R}`);
      await terminal.waitUntil(shows(/^Earlier input: 0/), 'the empty list');
      terminal.type(ESCAPE);
      await terminal.waitUntil(last(/^> half a line$/), 'the line as it was');
    },
  );
});

describe('an @ in a message', () => {
  it.each([40, 80, 120])(
    'offers files while their letters are typed at %i columns, completes the only match, and leaves no rows on the screen',
    async (columns) => {
      using home = homeWith('src/greet.ts', 'lib/one/mast.ts', 'lib/two/mast hull.ts', 'docs/garden.md');
      await using terminal = open(home, { columns });
      await terminal.waitFor(PROMPT);
      terminal.type('see @');
      await terminal.waitUntil(shows(/^docs\/garden\.md$/), 'all files');
      await terminal.waitUntil(shows(/^Tab or ↓ chooses$/), 'how to choose');
      terminal.type('mst');
      await terminal.waitUntil(
        (lines) => lines.includes('lib/one/mast.ts') && !lines.includes('docs/garden.md'),
        'masts',
      );
      terminal.type(DOWN);
      await terminal.waitUntil(shows(/^Which file\? 2/), 'the list');
      terminal.type(' hull\r');
      await terminal.waitUntil(last(/^> see @"lib\/two\/mast hull\.ts"$/), 'the file');
      terminal.type(`${CTRL_U}@grt`);
      await terminal.waitUntil(shows(/^Tab completes$/), 'the only one');
      terminal.type('\t');
      await terminal.waitUntil(last(/^> @src\/greet\.ts$/), 'the other file');
      terminal.type('and @nowhere');
      await terminal.waitUntil(last(/ts and @nowhere$/), 'what follows');
      expect(terminal.lines().join('\n')).not.toMatch(/Tab (completes|or)/);
    },
  );

  it.each([40, 80])('offers files after words that are written from right to left at %i columns', async (columns) => {
    using home = homeWith('lib/one/mast.ts', 'docs/תורן.md');
    await using terminal = open(home, { columns });
    await terminal.waitFor(PROMPT);
    terminal.type('ראה @mst');
    await terminal.waitUntil(shows(/^lib\/one\/mast\.ts$/), 'the file');
    expect(terminal.beforeCursor()).toBe('> ראה @mst');
    terminal.type('\t');
    await terminal.waitUntil(last(/^> ראה @lib\/one\/mast\.ts$/), 'the file in the line');
    terminal.type(`${CTRL_U}@תור`);
    await terminal.waitUntil(shows(/^docs\/תורן\.md$/), 'a name from right to left');
    expect(terminal.beforeCursor()).toBe('> @תור');
    terminal.type('\t');
    await terminal.waitUntil(last(/^> @docs\/תורן\.md$/), 'that name in the line');
    expect(terminal.lines().join('\n')).not.toContain('Tab completes');
  });

  it('offers no files in a command, inside a word and after @@', async () => {
    using home = homeWith('src/greet.ts');
    await using terminal = open(home);
    await terminal.waitFor(PROMPT);
    terminal.type('@gr');
    await terminal.waitUntil(shows(/^src\/greet\.ts$/), 'the file');
    for (const text of ['@@gr', 'me@gr', '/title @gr']) {
      terminal.type(`${CTRL_U}${text}`);
      await terminal.waitUntil((lines) => lines.some((line) => line === `> ${text}`), text);
      expect(terminal.lines()).not.toContain('src/greet.ts');
    }
  });
});

describe('Ctrl+C in a line', () => {
  it.each([40, 80])(
    'clears the line in its place at %i columns: one prompt remains, with one status line',
    async (columns) => {
      using home = homeWith();
      await using terminal = open(home, { columns });
      await terminal.waitFor(PROMPT);
      const longer = (rows: number) => `longer than the row, ${'and more '.repeat(Math.round((columns * rows) / 9))}`;
      for (const text of ['half', longer(1), longer(3), '/he', '@']) {
        terminal.type(text);
        await terminal.waitUntil((lines) => squeezed(lines.join('')).includes(squeezed(`> ${text}`)), text);
        terminal.type(CTRL_C);
        await terminal.waitUntil(last(/^>$/), 'an empty prompt');
      }
      expect(terminal.lines().filter((line) => line === 'search')).toHaveLength(1);
      expect(terminal.lines().join('\n')).not.toMatch(/half|longer|Tab or/);
    },
  );
});

describe('Tab after a slash', () => {
  it.each([40, 80])('offers the commands with their descriptions at %i columns', async (columns) => {
    using home = homeWith();
    await using terminal = open(home, { columns });
    await terminal.waitFor(PROMPT);
    terminal.type('/\t');
    await terminal.waitUntil(shows(/^▸ \/history +lists the last/), 'the list');
    terminal.type('cost of');
    await terminal.waitUntil(shows(/^▸ \/usage +shows the tokens/), 'what is found by its words');
    terminal.type('\r');
    await terminal.waitUntil(shows(/^> \/usage$/), 'the command');
    terminal.type('\r');
    await terminal.waitUntil(shows(/0 answered/), 'what it shows');
  });
});

describe('e at a question about a file', () => {
  it('opens the text to be written in an editor, and asks about the edited text', async () => {
    using home = homeWith();
    const call = { name: 'file_write', args: { path: 'notes.md', content: 'from the model' } };
    await using model = await startToolModel({ calls: [call] }, { text: 'Done.' });
    const editor = join(home.path, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i s/model/user/ "$1"\necho "$1" > "$HOME/edited"\n', { mode: 0o755 });
    await using terminal = open(home, {
      args: ['--provider', 'ollama'],
      env: { OLLAMA_HOST: model.url, EDITOR: editor },
    });
    await terminal.waitFor(PROMPT);
    terminal.type('write\r');
    await terminal.waitFor('from the model');
    await terminal.waitUntil(last(/neve\[r\]/), 'the keys');
    await pressKey(terminal, 'e', () => linesWith(terminal, 'from the user') > 0);
    await terminal.waitUntil(last(/neve\[r\]/), 'the keys');
    await pressKey(terminal, 'y', () => linesWith(terminal, '→ yes') > 0);
    await terminal.waitUntil(shows(/^Done\.$/), 'the answer');
    expect(readFileSync(join(home.path, 'project/notes.md'), 'utf8')).toBe('from the user');
    expect(readFileSync(join(home.path, 'edited'), 'utf8')).toMatch(/\.md\n$/);
  });
});

describe('the end of a long turn', () => {
  it.each([
    ['bell', BELL],
    ['osc9', /\x1b\]9;ollm: The answer is complete\.\x07/],
  ])('calls by %s', async (notify, wanted) => {
    using home = homeWith();
    await using model = await startToolModel(
      { calls: [{ name: 'list_files', args: { path: '.' } }] },
      { text: 'The answer.' },
    );
    writeFileSync(join(home.path, '.ollm/config.yaml'), JSON.stringify({ repl: { notify, bellAfterSeconds: 1 } }));
    await using terminal = open(home, { args: ['--provider', 'ollama'], env: { OLLAMA_HOST: model.url } });
    await terminal.waitFor(PROMPT);
    terminal.type('!sleep 1.2\r');
    await terminal.waitUntil((lines) => wanted.test(terminal.raw()) && last(/^>( |$)/)(lines), 'the notice');
  });
});
