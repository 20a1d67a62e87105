// A server that is killed at random moments, with clients that return by the last id that they saw.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, type RunOptions } from '../support/cli.ts';
import { EventClient } from '../support/event-source.ts';
import { type Json, type Served, serve } from '../support/served.ts';
import { times } from '../support/times.ts';
import { until } from '../support/until.ts';

const KILLS = times(5);
/** In each of the states. */
const KILLS_WHILE = times(1);
const CLIENTS = 3;
const LONGEST_MS = 400;

describe('a server that is killed', () => {
  it(`leaves no client with a gap or a double, and a valid journal: ${KILLS} times`, async () => {
    using home = createHome();
    const seen = Array.from({ length: CLIENTS }, () => ({
      seqs: [] as number[],
      lastId: undefined as string | undefined,
    }));
    for (let kill = 0; kill < KILLS; kill++) {
      await using server = await serve(home);
      const asked = kill === 0 ? { prompt: 'hello', answerer: 'offline', name: 'oak' } : { prompt: `again ${kill}` };
      const made = await server.post(kill === 0 ? '/api/llm/sessions' : '/api/llm/sessions/oak/turns', asked);
      expect(made.status).toBe(202);
      const clients = await Promise.all(
        seen.map(({ lastId }) => {
          const path = `/api/llm/sessions/oak/events${lastId === undefined ? '?from=0' : ''}`;
          return new EventClient(server, path, lastId).open();
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
      await server.end('SIGKILL');
      for (const [index, client] of clients.entries()) {
        await client.until(({ isEnded }) => isEnded);
        seen[index]!.seqs.push(...client.seqs());
        seen[index]!.lastId = client.lastId;
      }
    }
    await using server = await serve(home);
    const { head } = await server.data('/api/llm/sessions/oak/history?from=-1');
    for (const { seqs, lastId } of seen) {
      const path = `/api/llm/sessions/oak/events${lastId === undefined ? '?from=0' : ''}`;
      const client = await new EventClient(server, path, lastId).open();
      // The next server closes the turn that the killed one left open.
      await client.until((each) => (each.seqs().at(-1) ?? seqs.at(-1) ?? -1) >= head);
      client.close();
      const all = [...seqs, ...client.seqs()];
      expect(all).toEqual(all.map((_, seq) => seq));
    }
    await server.end();
    expect((await home.run(['verify', 'oak'])).exitCode).toBe(0);
  });

  it.each(['a question waits', 'a tool runs', 'a prompt is queued'])(
    `while %s: the next one closes the turn, and runs nothing twice: ${KILLS_WHILE} times`,
    async (state) => {
      using home = createHome();
      const project = join(home.path, 'garden');
      mkdirSync(project);
      const at = { cwd: project, env: { OLLM_HOME: join(home.path, 'ollm') } };
      for (let kill = 0; kill < KILLS_WHILE; kill++) {
        const id = `oak-${kill}`;
        const path = `/api/llm/sessions/${id}`;
        const file = join(project, `ran-${kill}`);
        const seen = await beforeKill(home, at, async (server) => {
          const command = `echo ran >> ran-${kill}; sleep 2`;
          const prompt = `bash ${JSON.stringify({ command })}`;
          const made = await server.post('/api/llm/sessions', { prompt, answerer: 'offline', name: id });
          expect(made.status).toBe(202);
          const client = await new EventClient(server, `${path}/events?from=0`).open();
          const { id: questionId, hash } = await questionOf(server);
          if (state === 'a prompt is queued') {
            const queued = await server.post(`${path}/turns`, { prompt: 'hello from the queue' });
            expect(queued.body.data.ahead).toBe(1);
          } else if (state === 'a tool runs') {
            const answered = await server.post(`${path}/questions/${questionId}`, { decision: 'once', hash });
            expect(answered.status).toBe(200);
            await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
          }
          return client;
        });
        await using server = await serve(home, [], at);
        const wanted = state === 'a prompt is queued' ? 2 : 1;
        const client = await new EventClient(server, `${path}/events?from=0`).open();
        await client.type('turn.ended', wanted);
        client.close();
        expect(client.seqs()).toEqual(client.seqs().map((_, seq) => seq));
        expect(client.seqs().slice(0, seen.seqs().length)).toEqual(seen.seqs());
        const stored = (type: string) => client.stored().flatMap(({ data }) => (data.type === type ? [data.data] : []));
        expect(stored('turn.ended').map(({ status }) => status)).toEqual(['interrupted', 'completed'].slice(0, wanted));
        expect(stored('tool.finished').map(({ callId }) => callId)).toEqual(
          stored('tool.requested').map(({ callId }) => callId),
        );
        const { status, transitions } = await server.data(`/api/llm/providers/ollm/sessions/${id}`);
        expect(status).toBe(wanted === 2 ? 'completed' : 'failed');
        expect(transitions.at(-1).status).toBe(status);
        const prompts = stored('message.added').filter(({ role }) => role === 'user');
        expect(prompts).toHaveLength(wanted);
        expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(state === 'a tool runs' ? 'ran\n' : '');
        expect((await server.data('/api/llm/questions')).questions).toEqual([]);
        await server.end();
        expect((await home.run(['verify', id], at)).exitCode).toBe(0);
      }
    },
  );
});

/** Serves until it is in the state, then kills the server. Gives the client, with all that it was sent. */
async function beforeKill(
  home: Home,
  at: RunOptions,
  reach: (server: Served) => Promise<EventClient>,
): Promise<EventClient> {
  await using server = await serve(home, [], at);
  const client = await reach(server);
  await server.end('SIGKILL');
  await client.until(({ isEnded }) => isEnded);
  return client;
}

async function questionOf(server: Served): Promise<Json> {
  let question: Json;
  await until(async () => {
    [question] = (await server.data('/api/llm/questions')).questions;
    return question !== undefined;
  });
  return question;
}
