// The table of docs/leading.md: a prompt over HTTP passes each of its functions, and opens its session once.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { startServer } from '../../lib/server/serve.ts';
import { hostWorld } from '../host/world.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const MOST_STATIONS = 15;

function stations(): readonly { readonly name: string; readonly file: string }[] {
  const page = readFileSync(join(ROOT, 'docs/leading.md'), 'utf8');
  return [...page.matchAll(/^\| \d+ \| `(#?\w+)` \| `(lib\/[\w/.-]+)` \|/gm)].map(([, name, file]) => ({
    name: name!,
    file: file!,
  }));
}

/** The number of calls of each function meanwhile, by `file name`. */
async function callsDuring(work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const calls = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = /\/(lib\/[^?]+)/.exec(url)?.[1];
    for (const { functionName, ranges } of file === undefined ? [] : functions) {
      const key = `${file} ${functionName}`;
      calls.set(key, (calls.get(key) ?? 0) + ranges[0]!.count);
    }
  }
  return calls;
}

describe('a prompt over HTTP', () => {
  it('passes the stations that the page names, at most fifteen, and opens its session once', async () => {
    await using world = await hostWorld({ env: { OLLM_RETENTION__MAX_ITEMS: '100' } });
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    await host.sessions.wait(sessionId);
    await until(() => host.sessions.activity(sessionId).kind === 'not-held');
    const server = await startServer(host, { port: 0, pageDirectory: world.home });
    const token = readFileSync(server.tokenFile, 'utf8').trim();
    const calls = await callsDuring(async () => {
      const answer = await fetch(`${server.address}/api/llm/sessions/${sessionId}/turns`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'second' }),
      });
      expect(answer.status).toBe(202);
      await host.sessions.wait(sessionId);
    });
    await server.close();
    const all = stations();
    expect([all.length > 10, all.length <= MOST_STATIONS]).toEqual([true, true]);
    expect(all.filter(({ file, name }) => !calls.get(`${file} ${name}`))).toEqual([]);
    // Each resumption of an async function counts as a call. This one is called once for each opening.
    expect(calls.get('lib/app/sessions/open/conversation-in.ts conversationIn')).toBe(1);
  });
});
