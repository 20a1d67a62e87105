// A server that is killed at random moments, with clients that return by the last id that they saw. KILLS sets how
// often.
import { createHome } from '../support/cli.ts';
import { EventClient } from '../support/event-source.ts';
import { serve } from '../support/served.ts';

const KILLS = Number(process.env.KILLS ?? 5);
const CLIENTS = 3;
const LONGEST_MS = 400;

describe('a server that is killed', () => {
  it(`leaves no client with a gap or a double, and a journal that holds: ${KILLS} times`, async () => {
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
      // The server that starts closes what the one before it left open.
      await client.until((each) => (each.seqs().at(-1) ?? seqs.at(-1) ?? -1) >= head);
      client.close();
      const all = [...seqs, ...client.seqs()];
      expect(all).toEqual(all.map((_, seq) => seq));
    }
    await server.end();
    expect((await home.run(['verify', 'oak'])).exitCode).toBe(0);
  }, 600_000);
});
