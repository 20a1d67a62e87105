import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '../support/end-with-tests.ts';
import { startSource } from '../support/source-child.ts';
import { times } from '../support/times.ts';
import { until } from '../support/until.ts';
import { follow, type HostWorld, hostWorld } from './world.ts';

const CHILD = fileURLToPath(new URL('host-child.ts', import.meta.url));
const KILLS = times(4);

/** A server of its own process over the same home. */
function serve(
  world: HostWorld,
  options: {
    readonly id?: string | undefined;
    readonly after?: string | undefined;
    readonly waiting?: readonly string[];
  } = {},
) {
  const input = JSON.stringify({ env: world.env, cwd: world.project, ...options });
  const child = startSource(CHILD, [input]);
  endWithTests(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return {
    lines,
    accepted: () => lines.flatMap((line) => /^accepted (\S+)$/.exec(line)?.[1] ?? []),
    ids: () => lines.flatMap((line) => /^event (\d+) /.exec(line)?.[1] ?? []),
    async session(): Promise<string> {
      await until(() => lines.length > 0);
      return lines[0]!.slice('session '.length);
    },
    async kill(): Promise<void> {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('a server that is killed', () => {
  it('at any moment leaves clients without a gap and without a double when they return', async () => {
    await using world = await hostWorld({ replies: [{ text: 'an answer' }] });
    const seen: string[] = [];
    let id: string | undefined;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = serve(world, { id, after: seen.at(-1) });
      id = await server.session();
      await until(() => server.ids().length > 0);
      await wait(Math.random() * 1_000);
      await server.kill();
      seen.push(...server.ids());
    }
    await world.host.sessions.prompt(id!, { text: 'last' });
    await world.host.sessions.wait(id!);
    await world.host.sessions.handOver(id!);
    const stored = world.journal(id!).map(({ seq }) => String(seq));
    const last = follow(world.host, id!, seen.at(-1));
    await last.until(() => seen.length + last.ids().length >= stored.length);
    expect([...seen, ...last.ids()]).toEqual(stored);
  });

  it('while calls and prompts wait keeps each prompt once, each call closed, and every event', async () => {
    const args = { path: 'note.txt', content: 'hello' };
    await using world = await hostWorld({ replies: [{ calls: [{ name: 'file_write', args }] }] });
    const seen: string[] = [];
    const accepted: string[] = [];
    let id: string | undefined;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = serve(world, { id, after: seen.at(-1), waiting: [`more ${kill}`] });
      id = await server.session();
      // Anywhere between the storing of a prompt, the end of the turn before, the call, and its question.
      await wait(Math.random() * 1_000);
      await server.kill();
      seen.push(...server.ids());
      accepted.push(...server.accepted());
    }
    const next = await world.another();
    const notes = () => readdirSync(join(world.home, 'run', 'turns'));
    await until(() => next.questions.list(id!).length === 1 || notes().length === 0);
    const events = world.journal(id!);
    const last = follow(next, id!, seen.at(-1) ?? 'start');
    await last.until(() => seen.length + last.ids().length >= events.length);
    expect([...seen, ...last.ids()]).toEqual(events.map(({ seq }) => String(seq)));

    const prompts = events.flatMap(({ type, data }) => (type === 'message.added' ? (data.promptId ?? []) : []));
    const queued = (await next.sessions.queue(id!)).map(({ promptId }) => promptId);
    const all = [...prompts, ...queued];
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(expect.arrayContaining(accepted));

    const callsOf = (wanted: string) => events.flatMap(({ type, data }) => (type === wanted ? [data.callId] : []));
    const asked = next.questions.list(id!).map(({ call }) => call?.callId);
    expect([...callsOf('tool.finished'), ...asked].sort()).toEqual(callsOf('tool.requested').sort());
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
  });

  it('while a call waits for an answer has run nothing, and the next one closes the turn', async () => {
    const args = { path: 'note.txt', content: 'hello' };
    await using world = await hostWorld({ replies: [{ calls: [{ name: 'file_write', args }] }] });
    const server = serve(world);
    const id = await server.session();
    await until(() => server.lines.includes('question'));
    await server.kill();
    expect(await world.host.sessions.snapshot(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('INTERRUPTED'),
    });
    const next = await world.another();
    await until(() => world.journal(id).at(-1)?.type === 'session.closed');
    expect(world.journal(id).find(({ type }) => type === 'turn.ended')?.data.status).toBe('interrupted');
    expect(world.journal(id).find(({ type }) => type === 'tool.finished')?.data.status).toBe('cancelled');
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
    expect(next.questions.list(id)).toEqual([]);
    await until(() => readdirSync(join(world.home, 'run', 'turns')).length === 0);
  });
});
