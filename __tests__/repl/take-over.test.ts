import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import type { OllmError } from '../../lib/errors/index.ts';
import type { JournalReader, JournalStore } from '../../lib/journal/types.ts';
import { takeOver } from '../../lib/repl/take-over.ts';
import { hostWorld } from '../host/world.ts';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { atRest, serve } from '../support/served.ts';
import { until } from '../support/until.ts';
import { startToolModel } from './tool-model.ts';

const typesIn = (home: Home) => parseLines(readFileSync(home.journal('oak'), 'utf8')).map(({ type }) => type as string);

describe('ollm repl --resume of a session in a running server', () => {
  it('receives the session immediately if no turn runs', async () => {
    using home = createHome();
    await using server = await serve(home);
    await server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'offline', name: 'oak' });
    await atRest(server, 'oak');
    expect((await home.run(['repl', '--resume', 'oak'], { input: 'hello again\n' })).exitCode).toBe(0);
    expect(typesIn(home).filter((type) => type === 'turn.started')).toHaveLength(2);
  });

  it('shows the running turn, and opens at its end', async () => {
    using home = createHome();
    const gate = Promise.withResolvers<void>();
    await using model = await startToolModel({ text: 'Oaks ', until: gate.promise, rest: 'grow old.' });
    await using server = await serve(home, [], { env: { OLLAMA_HOST: model.url } });
    await server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'ollama', name: 'oak' });
    await until(async () => (await server.data('/api/llm/sessions/oak/activity')).activity.kind === 'running');
    const repl = home.start(['repl', '--resume', 'oak', '--provider', 'offline']);
    let stderr = '';
    repl.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise((resolve) => repl.once('close', resolve));
    repl.stdin?.end('and elms?\n');
    await until(() => stderr.includes('A turn that began'));
    gate.resolve();
    expect(await ended).toBe(0);
    expect(stderr).toContain('Oaks grow old.');
    expect(stderr).toContain(server.address);
    const types = typesIn(home);
    expect(types.filter((type) => type === 'turn.ended')).toHaveLength(2);
    expect(types.indexOf('session.closed')).toBeGreaterThan(types.indexOf('turn.ended'));
  });

  it('shows the answer even if the turn ends before its events are followed', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'Oaks ', until: gate.promise, rest: 'grow old.' }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'hello' });
    const server = createServer(async (request, response) => {
      const data = await sessions.handOver(sessionId, (await json(request)) as { wait: boolean });
      response.end(JSON.stringify({ success: true, data }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await world.host.announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    writeFileSync(join(world.home, 'server-token'), 't'.repeat(43), { mode: 0o600 });
    await until(() => sessions.activity(sessionId).kind === 'running');
    const { app } = await world.another();
    const locked: OllmError = await openSession(app, { kind: 'resume', reference: sessionId }).then(
      () => Promise.reject(new Error('It is not locked.')),
      (error) => error,
    );
    const said: string[] = [];
    const afterTheTurn = async () => {
      if (said.length === 0) return;
      gate.resolve();
      await until(() => world.journal(sessionId).some(({ type }) => type === 'turn.ended'));
    };
    const openReader = (id: string) => {
      const reader = app.store.openReader(id);
      return {
        sealed: () => reader.sealed(),
        [Symbol.dispose]: () => reader.close(),
        async *backwards() {
          await afterTheTurn();
          yield* reader.backwards();
        },
        async *follow(options) {
          await afterTheTurn();
          yield* reader.follow(options);
        },
      } satisfies Partial<JournalReader> as unknown as JournalReader;
    };
    const store = { openReader } as Partial<JournalStore> as JournalStore;
    const { signal } = new AbortController();
    await takeOver({ ...app, store }, locked, { say: (text) => said.push(text), signal });
    expect(said.join('\n')).toContain('Oaks grow old.');
    server.closeAllConnections();
    server.close();
  });

  it('receives the session if the token of the server is in a file of its own', async () => {
    using home = createHome();
    await using server = await serve(home, ['--token-file', join(home.path, 'own-token')]);
    await server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'offline', name: 'oak' });
    await atRest(server, 'oak');
    expect((await home.run(['repl', '--resume', 'oak'], { input: 'hello again\n' })).exitCode).toBe(0);
    expect(typesIn(home).filter((type) => type === 'turn.started')).toHaveLength(2);
  });

  it('is refused with the address of a server that no longer answers', async () => {
    using home = createHome();
    await using server = await serve(home);
    await server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'offline', name: 'oak' });
    await atRest(server, 'oak');
    server.child.kill('SIGSTOP');
    const { exitCode, stderr } = await home.run(['repl', '--resume', 'oak'], { input: 'hello\n' });
    server.child.kill('SIGCONT');
    expect(exitCode).toBe(5);
    expect(stderr).toContain(`It is a server, at ${server.address}, which does not answer.`);
  });
});
