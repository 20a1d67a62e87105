import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPipedRepl, type PipedRepl } from './piped-repl.ts';

async function run(repl: PipedRepl, ...lines: string[]): Promise<number> {
  repl.enter(...lines);
  repl.end();
  return await repl.exitCode;
}
const journalOf = (repl: PipedRepl, name: string) => join(repl.home, 'session-data', `${name}.jsonl`);
const messagesIn = (repl: PipedRepl, name: string) =>
  readFileSync(journalOf(repl, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: { role?: string; parts?: { text?: string }[] } })
    .filter(({ type, data }) => type === 'message.added' && data.role === 'user')
    .map(({ data }) => data.parts?.[0]?.text);

describe('/new', () => {
  it('begins a new conversation with the same provider, and keeps the previous one', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, 'first question', '/new plans', 'second question', '/load talk')).toBe(0);
    expect(repl.shown.errors).toContain('Session talk is kept: /load talk goes back to it.');
    expect(repl.shown.errors).toContain('Session plans, new.');
    expect(messagesIn(repl, 'talk')).toEqual(['first question']);
    expect(messagesIn(repl, 'plans')).toEqual(['second question']);
    expect(repl.shown.errors.match(/Provider: offline/g)).toHaveLength(3);
  });

  it('stores nothing of a conversation without a message', async () => {
    using repl = await openPipedRepl({ open: { kind: 'new', provider: 'offline' } });
    expect(await run(repl, '/new plans', 'hello')).toBe(0);
    expect(repl.shown.errors).toMatch(/Nothing was said: session [0-9a-f]{8} was not kept\./);
  });

  it('after a conversation in memory begins one in memory', async () => {
    using repl = await openPipedRepl({ open: { kind: 'new', provider: 'offline', ephemeral: true } });
    expect(await run(repl, 'first question', '/new plans', 'second question')).toBe(0);
    expect(repl.shown.errors).toContain('The session before this one was kept in memory only, and is gone.');
    expect(existsSync(journalOf(repl, 'plans'))).toBe(false);
  });

  it('with the name of an existing session creates none, and stays in the conversation', async () => {
    using repl = await openPipedRepl();
    await run(repl, 'first question', '/new plans', 'second question', '/new talk', 'third question');
    expect(repl.shown.errors).toContain('Session talk exists already.');
    expect(messagesIn(repl, 'talk')).toEqual(['first question']);
    expect(messagesIn(repl, 'plans')).toEqual(['second question', 'third question']);
  });
});

describe('/clear', () => {
  it('says that the model still sees the conversation, once there is one', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, '/clear', 'first question', '/clear')).toBe(0);
    expect(repl.shown.errors.match(/The conversation stays, and the model still sees it\./g)).toHaveLength(1);
  });
});
