// Numbers over sessions as they are on a disk: of two programs, their imports, forks and copies.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importForeign } from '../../../../lib/app/import/import-sessions.ts';
import { deleteSession } from '../../../../lib/app/sessions/change/delete-session.ts';
import { forkSession } from '../../../../lib/app/sessions/change/fork-session.ts';
import { type Stats, type StatsRequest, stats } from '../../../../lib/app/sessions/read/stats.ts';
import { callOf, type HubWorld, hubWorld } from '../../../hub/world.ts';
import { agentFiles, CLAUDE_ID, lines } from '../../../support/agent-homes.ts';
import { event } from '../../../support/event-list.ts';

let hub: HubWorld;
beforeEach(() => {
  hub = hubWorld();
});
afterEach(() => hub.remove());

const ask = (request: Partial<StatsRequest> = {}): Promise<Stats> =>
  hub.withApp((app) => stats(app, { by: ['agent'], ...request }));

function write(path: string, text: string): void {
  const file = join(hub.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function writeAgents(): void {
  for (const [path, text] of Object.entries(agentFiles())) write(path, text);
}

describe('the numbers over all sessions', () => {
  it('include every program, by each dimension, with equal totals', async () => {
    writeAgents();
    await hub.make('oak', [
      'Hello',
      event.used(100, 5, { message: 'x', totalCost: 0.25 }),
      ...callOf('c', {}, 'out'),
      event.used(50, 5, { message: 'y', model: 'm-2' }),
    ]);
    const { rows, total, leftOut } = await ask();
    expect(rows.map(({ agent, sessions, turns, inputTokens }) => [agent, sessions, turns, inputTokens])).toEqual([
      ['ollm', 1, 1, 150],
      ['claude', 2, 2, 10],
      ['codex', 1, 1, undefined],
    ]);
    expect(rows[0]).toMatchObject({ requests: 2, cost: 0.25, withoutPrice: 1, calls: 1, failedCalls: 0 });
    expect(rows[1]).toMatchObject({ requests: 1, cost: undefined, withoutPrice: 1, calls: 1 });
    expect(leftOut).toEqual([]);
    for (const by of ['day', 'project', 'model'] as const) expect((await ask({ by: [by] })).total).toEqual(total);
    const models = await ask({ by: ['agent', 'model'] });
    expect(models.rows).toContainEqual(expect.objectContaining({ agent: 'ollm', model: 'm-2', inputTokens: 50 }));
    expect(models.rows).toContainEqual(expect.objectContaining({ agent: 'claude', model: 'claude-test-1', turns: 1 }));
    expect((await ask({ by: ['tool'] })).rows.map(({ tool, calls }) => [tool, calls])).toEqual([
      ['Bash', 1],
      ['bash', 1],
    ]);
  });

  it('count the copies of an import, a fork and a resumed session once', async () => {
    writeAgents();
    const before = await ask();
    await hub.withApp(async (app) => {
      await importForeign(app, { all: true });
      await forkSession(app, `claude:${CLAUDE_ID}`);
    });
    const copy = 'aaaa0000-1111-4222-8333-444455556666';
    const [[, text] = ['', '']] = Object.entries(agentFiles());
    write(`.claude/projects/-home-ada-boat/${copy}.jsonl`, text.replaceAll(CLAUDE_ID, copy));
    const { total, rows } = await ask();
    expect(total).toEqual(before.total);
    expect(rows).toEqual(before.rows);
    // What a fork adds is its own.
    await hub.make('fresh', ['More', event.used(7, 1)]);
    expect((await ask()).total).toMatchObject({ sessions: before.total.sessions + 1, turns: before.total.turns + 1 });
  });

  it('continue with a session that grows, and exclude a purged one', async () => {
    await hub.make('oak', ['One', event.used(10, 1, { message: 'a' })]);
    await ask();
    await hub.goOn('oak', [event.used(10, 4, { message: 'a' }), 'Two', event.used(20, 2, { message: 'b' })]);
    expect((await ask()).total).toMatchObject({ turns: 2, requests: 2, inputTokens: 30, outputTokens: 6 });
    await hub.withApp((app) => deleteSession(app, 'oak', { purge: true }));
    expect(await ask()).toMatchObject({ rows: [], total: { sessions: 0, cost: undefined, youWaitedMs: undefined } });
  });

  it('use the days of the requested time zone', async () => {
    writeAgents();
    const days = async (zone: string) => (await ask({ by: ['day'], zone })).rows.map(({ day }) => day);
    expect(await days('UTC')).toEqual(['2026-01-02', '2026-01-03', '2026-01-04']);
    expect(await days('Pacific/Kiritimati')).toEqual(['2026-01-03', '2026-01-05']);
    await expect(days('Europe/Atlantis')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('can be listed for each session with its title, the greatest first, for all days or one', async () => {
    writeAgents();
    await hub.make('oak', ['Hello', event.used(100, 5, { message: 'x', totalCost: 0.25 })]);
    const sessions = async (request: Partial<StatsRequest> = {}) =>
      (await ask({ by: ['session'], ...request })).rows.map(({ session, title }) => [session, title]);
    const [dearest, ...others] = await sessions();
    expect(dearest).toEqual(['ollm:oak', 'Hello']);
    expect(others).toContainEqual([`claude:${CLAUDE_ID}`, 'The mast of the boat']);
    expect(await sessions({ limit: 1 })).toEqual([dearest]);
    expect(await sessions({ day: '2026-01-02' })).toEqual([[`claude:${CLAUDE_ID}`, 'The mast of the boat']]);
    expect(await sessions({ day: '2026-01-02', zone: 'Pacific/Kiritimati' })).toEqual([]);
  });

  it('can be limited to one program, one directory, or a time', async () => {
    writeAgents();
    const names = async (request: Partial<StatsRequest>) =>
      (await ask({ by: ['project'], ...request })).rows.map(({ project }) => project).sort();
    expect(await names({ agent: 'claude' })).toEqual(['/home/ada/boat', '/home/ada/paint']);
    expect(await names({ project: '/home/ada/boat' })).toEqual(['/home/ada/boat']);
    expect(await names({ project: '/home/ada/bo' })).toEqual([]);
    expect(await names({ sinceMs: Date.UTC(2026, 0, 3) })).toEqual(['/home/ada/boat', '/home/ada/paint']);
    expect(await names({ sinceMs: Date.UTC(2026, 0, 4) })).toEqual(['/home/ada/boat']);
    await expect(names({ agent: 'nothing' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(ask({ by: ['day', 'model', 'tool'] })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(ask({ by: [] })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('count a subagent as a part of its parent session, without its prompt', async () => {
    writeAgents();
    const before = await ask();
    write(
      `.claude/projects/-home-ada-boat/${CLAUDE_ID}/subagents/agent-a1.jsonl`,
      lines([
        {
          ...{ type: 'user', uuid: 's1', parentUuid: null, isSidechain: true, agentId: 'a1', sessionId: CLAUDE_ID },
          ...{ cwd: '/home/ada/boat', timestamp: '2026-01-02T10:00:02.100Z' },
          message: { role: 'user', content: 'Look below deck' },
        },
        {
          ...{ type: 'assistant', uuid: 's2', parentUuid: 's1', isSidechain: true, agentId: 'a1' },
          ...{ sessionId: CLAUDE_ID, cwd: '/home/ada/boat', timestamp: '2026-01-02T10:00:02.900Z' },
          message: {
            ...{ id: 'm7', type: 'message', role: 'assistant', model: 'claude-test-2', stop_reason: 'end_turn' },
            ...{ content: [{ type: 'text', text: 'Water.' }], usage: { input_tokens: 90, output_tokens: 9 } },
          },
        },
      ]),
    );
    const { sessions, turns, youWaitedMs } = before.total;
    expect((await ask()).total).toMatchObject({ sessions, turns, youWaitedMs, inputTokens: 100, outputTokens: 14 });
    const { rows } = await ask({ by: ['session'] });
    expect(rows.map(({ session, inputTokens }) => [session, inputTokens])).toContainEqual([`claude:${CLAUDE_ID}`, 100]);
  });

  it('are erased if the catalogue may store no text', async () => {
    await hub.make('oak', ['One', event.used(10, 1)]);
    await ask();
    const encrypted = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true' };
    expect((await hub.withApp((app) => stats(app, { by: ['day'] }), encrypted)).rows).toEqual([]);
  });
});
