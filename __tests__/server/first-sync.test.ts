// A server that was started before any sync: its search finds sessions of other programs, and it says how far it is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { createHome } from '../support/cli.ts';
import { serve } from '../support/served.ts';
import { until } from '../support/until.ts';

const record = (text: string): string =>
  `${JSON.stringify({
    ...{ type: 'user', uuid: '1', parentUuid: null, sessionId: 's', cwd: '/home/ada' },
    timestamp: '2026-01-02T03:04:05.000Z',
    message: { role: 'user', content: text },
  })}\n`;

describe('the first sync of a server', () => {
  it('runs unasked, waits for the sync of a different process, and is reported by /health and the search', async () => {
    using home = createHome();
    const folder = join(home.path, '.claude', 'projects', 'p');
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < 40; number += 1) writeFileSync(join(folder, `s${number}.jsonl`), record('quokka'));
    const lock = nodeFileSystem.open(join(home.path, 'sync.lock'), 'lock', 0o600);
    lock.tryLock('exclusive');
    await using server = await serve(home);
    const catalog = async () => (await server.data('/health')).catalog;
    const search = () => server.data('/api/llm/search?q=quokka&exact=true&limit=50');
    await until(async () => (await catalog()).isSyncing);
    expect(await search()).toMatchObject({
      hits: [],
      leftOut: ['The server is reading all sessions for the search.'],
      isReading: true,
    });
    expect(await server.data('/api/llm/stats')).toMatchObject({
      leftOut: ['The server is reading all sessions for the search.'],
      isReading: true,
    });
    lock.close();
    await until(async () => !(await catalog()).isSyncing);
    expect(await catalog()).toEqual({ isSyncing: false, sessions: 40, left: 0 });
    const { hits, leftOut, isReading } = await search();
    expect(new Set(hits.map(({ id }: { id: string }) => id)).size).toBe(40);
    expect([leftOut, isReading]).toEqual([[], undefined]);
    // Programs have ids of any form.
    const odd = "a_talk:50%(or_so)!'ä";
    writeFileSync(join(folder, `${odd}.jsonl`), record('wombat'));
    const { address } = (await server.data('/api/llm/search?q=wombat')).hits[0];
    expect(address).toBe(`claude:${odd}#1`);
    const route = `/api/llm/sessions/${encodeURIComponent(`claude:${odd}`)}`;
    expect(await server.data(route)).toMatchObject({ address: `claude:${odd}` });
    expect(JSON.stringify(await server.data(`${route}/messages`))).toContain('wombat');
    // No list has a subagent.
    const agents = join(folder, 's0', 'subagents');
    mkdirSync(agents, { recursive: true });
    writeFileSync(
      join(agents, 'agent-a1.jsonl'),
      record('bandicoot').replace('{', '{"isSidechain":true,"agentId":"a1",'),
    );
    const [{ address: inAgent }] = (await server.data('/api/llm/search?q=bandicoot&role=system')).hits;
    expect(inAgent).toBe('claude:agent-a1#1');
    expect(await server.data('/api/llm/sessions/claude%3Aagent-a1')).toMatchObject({
      ...{ address: 'claude:agent-a1', parent: 'claude:s0', project: '/home/ada' },
    });
    expect((await server.ask('/api/llm/sessions/claude%3Aagent-a')).status).toBe(404);
    writeFileSync(join(folder, 'later.jsonl'), record('numbat'));
    expect((await server.data('/api/llm/search?q=numbat')).hits).toMatchObject([{ address: 'claude:later#1' }]);
  });

  it('skips an unreadable session, and ends', async () => {
    using home = createHome();
    const folder = join(home.path, '.claude', 'projects', 'p');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'whole.jsonl'), record('quokka'));
    writeFileSync(join(folder, 'not.jsonl'), 'no record\n');
    await using server = await serve(home);
    await until(async () => {
      const { catalog } = await server.data('/health');
      return catalog.sessions === 2 && !catalog.isSyncing;
    });
    expect((await server.data('/api/llm/search?q=quokka')).hits).toHaveLength(1);
  });
});
