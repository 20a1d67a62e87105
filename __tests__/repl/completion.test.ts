import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '../../lib/platform/files/node-file-system.ts';
import type { CommandContext } from '../../lib/repl/commands/command.ts';
import { COMMANDS } from '../../lib/repl/commands/table.ts';
import { createCompleter, type OfferedFiles } from '../../lib/repl/completion.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ollm-completion-'));
  mkdirSync(join(folder, 'docs'));
  mkdirSync(join(folder, '.claude/projects/x'), { recursive: true });
  for (const id of ['5f3c', '5f9d', 'a b']) writeFileSync(join(folder, `.claude/projects/x/${id}.jsonl`), '');
  for (const name of ['notes.md', 'my file.txt', '.hidden', 'docs/one.md', 'docs/two.md', 'evil\u202e.md'])
    writeFileSync(join(folder, name), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What of a conversation completion looks at. */
function context(): CommandContext {
  const names = ['offline', 'ollama'];
  return {
    commands: COMMANDS,
    front: {},
    app: {
      cwd: folder,
      paths: { sessions: folder },
      config: { hub: {} },
      fileSystem: nodeFileSystem,
      providers: { names, load: async (name: string) => ({ models: async () => [{ name: `${name}-1` }] }) },
      store: { ids: async () => ['garden', 'house'] },
      env: { HOME: folder },
      process: { uid: process.getuid?.() },
    },
    conversation: {
      choice: { provider: { models: async () => [{ name: 'llama3.2' }, { name: 'qwen3' }] } },
      session: { states: { context: { entries: [{ key: 'style' }, { key: 'task' }] } } },
    },
  } as unknown as CommandContext;
}
const FOUND = ['lib/one/notes.ts', 'lib/two/note.ts'];
const files = (found: readonly string[] = FOUND, isComplete = true): OfferedFiles => ({
  begin() {},
  settled: async () => {},
  find: () => found,
  isComplete,
  onMore: () => () => {},
});
const complete = (line: string, offered = files()) =>
  createCompleter(context, offered)(line, new AbortController().signal);

describe('completion', () => {
  it.each([
    ['commands', '/he', ['/help '], '/he'],
    ['aliases', '/exi', ['/exit '], '/exi'],
    ['names of commands for /help', '/help cl', ['clear'], 'cl'],
    ['session ids', '/load g', ['garden'], 'g'],
    ['agents that keep sessions here', '/load c', ['claude:'], 'c'],
    ['addresses', '/load claude:5', ['claude:5f3c', 'claude:5f9d'], 'claude:5'],
    ['no addresses of an unknown agent', '/load pigeon:', [], 'pigeon:'],
    ['the last session', '/load @', ['@last'], '@'],
    ['models', '/model q', ['qwen3'], 'q'],
    ['providers', '/provider o', ['offline', 'ollama'], 'o'],
    ['models of a provider', '/provider ollama ', ['ollama-1'], ''],
    ['no models of an unknown provider', '/provider nobody ', [], ''],
    ['what /context can do', '/context r', ['rm'], 'r'],
    ['keys of context entries', '/context rm s', ['style'], 's'],
    ['files for /export', '/export no', ['notes.md'], 'no'],
    ['directories', '/export d', ['docs/'], 'd'],
    ['files in a directory', '/export docs/', ['docs/one.md', 'docs/two.md'], 'docs/'],
    ['paths in a message', 'what does ./no', ['./notes.md'], './no'],
    ['files that go along', 'read @no', ['@notes.md'], '@no'],
    ['files in a directory that go along', '@docs/o', ['@docs/one.md'], '@docs/o'],
    ['names with spaces between quotes', 'read @my', ['@"my file.txt"'], '@my'],
    ['a name between quotes', 'read @"my f', ['@"my file.txt"'], '@"my f'],
    ['files behind a command of one\u2019s own', '!cat no', ['notes.md'], 'no'],
    ['hidden files when asked for', 'see ./.h', ['./.hidden'], './.h'],
  ])('offers %s', async (_, line, candidates, replaced) => {
    expect(await complete(line)).toEqual([candidates, replaced]);
  });

  it('offers the matching commands with their descriptions, whose words match too', async () => {
    const [candidates, replaced, choice] = await complete('/ex');
    expect([candidates, replaced]).toEqual([['/export ', '/exit '], '/ex']);
    expect(choice?.find('/ex').slice(0, 2)).toEqual(['/export', '/exit']);
    expect(choice?.find('another session')).toContain('/load');
    expect(choice?.describe?.('/exit')).toBe('closes the session and leaves');
    expect(choice?.insert('/exit')).toBe('/exit ');
  });

  it('offers the matching files, and inserts the only match once the project is walked', async () => {
    const [candidates, replaced, choice] = await complete('see @nte');
    expect([candidates, replaced]).toEqual([[], '@nte']);
    expect(choice?.find('nte')).toEqual(FOUND);
    expect(choice?.insert('my file.txt')).toBe('@"my file.txt" ');
    expect(await complete('see @mst', files(['lib/mast.ts']))).toEqual([['@lib/mast.ts '], '@mst']);
    const [none, , more] = await complete('see @mst', files(['lib/mast.ts'], false));
    expect([none, more?.title]).toEqual([[], 'Which file?']);
    const [, , all] = await complete('@');
    expect(all?.find('')).toEqual(FOUND);
  });

  it('offers nothing in running text, and no name with misleading characters', async () => {
    expect(await complete('some words')).toEqual([[], 'words']);
    expect(await complete('/export evil')).toEqual([[], 'evil']);
    expect(await complete('mail me@no')).toEqual([[], 'me@no']);
    expect(await complete('@@no')).toEqual([[], '@@no']);
    expect(await complete('./nowhere/x')).toEqual([[], './nowhere/x']);
  });
});
