// Sessions of other programs in the REPL: found, looked at, and continued.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFiles, CLAUDE_ID, CODEX_ID, listingOf } from '../support/agent-homes.ts';
import { createTree } from '../support/tree.ts';
import { openPipedRepl, type PipedRepl } from './piped-repl.ts';

async function run(...lines: string[]): Promise<PipedRepl> {
  const repl = await openPipedRepl();
  for (const [path, content] of Object.entries(agentFiles())) {
    mkdirSync(dirname(join(repl.home, path)), { recursive: true });
    writeFileSync(join(repl.home, path), content);
  }
  const before = listingOf(repl.home);
  repl.enter(...lines);
  repl.end();
  await repl.exitCode;
  expect(listingOf(repl.home)).toEqual(before);
  return repl;
}

describe('/load', () => {
  it('with the address of a foreign message shows that message and the ones after it', async () => {
    using repl = await run('/load claude:5f3c#9a01');
    expect(repl.shown.output).toContain('user: Where is the');
    expect(repl.shown.output).toContain('model: On deck; the key is [redacted github-token 40].');
    expect(repl.shown.output + repl.shown.errors).toContain('This is a session of Claude Code');
    expect(repl.shown.output).not.toContain('\u001b[2J');
  });

  it("with the address of a foreign session continues in a copy of the user's own", async () => {
    using repl = await run('/load codex:019b', '/history');
    expect(repl.shown.output).toContain('How long is the mast?');
    expect(repl.shown.output).toContain('Nine metres.');
  });

  it('without an address names the possible arguments', async () => {
    using repl = await run('/load claude:5f', '/load claude:none', '/load pigeon:1');
    expect(repl.shown.errors).toContain(`claude:${CLAUDE_ID}`);
    expect(repl.shown.errors).toContain('There is no session claude:none.');
    expect(repl.shown.errors).toContain('"pigeon" is not an agent');
  });
});

describe('/search', () => {
  it('finds messages with the addresses that /load takes', async () => {
    using repl = await openPipedRepl();
    for (const [path, content] of Object.entries(agentFiles())) {
      mkdirSync(dirname(join(repl.home, path)), { recursive: true });
      writeFileSync(join(repl.home, path), content);
    }
    const { createApp } = await import('../../lib/app/compose.ts');
    const { syncSessions } = await import('../../lib/app/import/sync-sessions.ts');
    const app = await createApp({ env: { HOME: repl.home, OLLM_HOME: repl.home }, cwd: repl.home, command: 'test' });
    await syncSessions(app);
    const isClaude = (path: string) => path.startsWith('.claude/');
    for (const path of Object.keys(agentFiles()).filter(isClaude)) rmSync(join(repl.home, path));
    await syncSessions(app);
    await app.close();
    repl.enter('/search deck', '/search metres', '/search nothingofthekind', '/search');
    repl.end();
    await repl.exitCode;
    expect(repl.shown.output).toContain(`codex:${CODEX_ID}#`);
    expect(repl.shown.output).toContain('Nine metres.');
    expect(repl.shown.output).toContain('Nothing was found.');
    expect(repl.shown.output).toMatch(/claude:5f3c\S+ .*its source is gone/);
    expect(repl.shown.output).not.toMatch(/codex:\S+ .*its source is gone/);
    expect(repl.shown.errors).toContain('Which words?');
  });
});

describe('/recall', () => {
  it('finds passages of the project and its sessions with the reason, and says if there are none', async () => {
    using project = createTree({ 'locks.md': '# Locks\n\nEach writer releases the lock at its end.\n' });
    using repl = await openPipedRepl({ cwd: project.root });
    repl.enter('/recall when are locks released?', '/recall zeppelin', '/recall');
    repl.end();
    await repl.exitCode;
    expect(repl.shown.output).toContain('locks.md:1  rank 1 by words (locks, released)');
    expect(repl.shown.output).toContain('Each writer releases the lock');
    expect(repl.shown.output).toContain('No passage was found.');
    expect(repl.shown.errors).toContain('Which words?');
  });
});
