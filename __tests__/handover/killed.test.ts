// A handover that is killed at each of its steps: there is never half a file where the program looks, and the next
// handover of the session removes the file of the killed one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { handOver } from '../../lib/app/handover/hand-over.ts';
import { handovers } from '../../lib/app/handover/handovers.ts';
import { handoverNotes } from '../../lib/app/list/handover-ledger.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { claudeConversation } from '../support/claude-conversation.ts';
import { KEEP_COMPILED } from '../support/source-child.ts';
import { createTree } from '../support/tree.ts';

const CHILD = new URL('./handover-child.ts', import.meta.url).pathname;
const SOURCE = 'claude:5f3c0000-1111-4222-8333-444455556666';

it('a handover that is killed at any step leaves all of the file or none, and the next one completes it', async () => {
  using tree = createTree({ 'ollm/': '', 'project/': '', '.codex/': '' });
  const sessions = join(tree.root, '.codex/sessions');
  claudeConversation(join(tree.root, '.claude/projects/source'), join(tree.root, 'project'));
  const env = { PATH: process.env.PATH, HOME: tree.root, OLLM_HOME: join(tree.root, 'ollm') };
  const cwd = join(tree.root, 'project');
  await handOverWhole();
  const [name] = files();
  const whole = textOf(name!);
  let killed = 0;
  let leftovers = 0;
  for (let at = 0; ; at += 1) {
    rmSync(sessions, { recursive: true });
    rmSync(join(tree.root, 'ollm'), { recursive: true });
    mkdirSync(join(tree.root, 'ollm'), { mode: 0o700 });
    const { status, signal } = handOverUntil(at);
    if (signal === null) {
      expect(status).toBe(0);
      break;
    }
    killed += 1;
    const left = files();
    const named = left.filter((each) => each.endsWith('.jsonl'));
    if (named.length > 0)
      expect({ at, named, text: textOf(name!) === whole }).toEqual({ at, named: [name], text: true });
    if (named.length > 0) expect(notes()).toHaveLength(1);
    leftovers += left.length - named.length;
    await handOverWhole();
    expect({ at, files: files() }).toEqual({ at, files: [name] });
    expect(textOf(name!)).toBe(whole);
    const [row, ...others] = handovers({ fileSystem: nodeFileSystem, paths: paths() });
    expect({ at, state: row?.state, file: basename(row!.path), others }).toEqual({
      ...{ at, state: 'written', file: basename(name!), others: [] },
    });
  }
  expect(killed).toBeGreaterThan(12);
  expect(leftovers).toBeGreaterThan(2);

  function handOverUntil(at: number) {
    const args = ['--no-warnings', CHILD, SOURCE, String(at)];
    return spawnSync(process.execPath, args, { cwd, env: { ...KEEP_COMPILED, ...env } });
  }

  async function handOverWhole(): Promise<void> {
    const app = await createApp({ env, cwd, command: 'test' });
    try {
      await handOver(app, SOURCE, { to: 'codex' });
    } finally {
      await app.close();
    }
  }

  function files(): string[] {
    mkdirSync(sessions, { recursive: true });
    return readdirSync(sessions, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  }

  function textOf(path: string): string {
    return readFileSync(path, 'utf8');
  }

  function notes() {
    return handoverNotes({ fileSystem: nodeFileSystem, paths: paths() });
  }

  function paths() {
    return { home: join(tree.root, 'ollm') } as Parameters<typeof handoverNotes>[0]['paths'];
  }
});
