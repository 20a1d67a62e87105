import { readFileSync } from 'node:fs';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { serve } from '../support/served.ts';
import { until } from '../support/until.ts';
import { startToolModel } from './tool-model.ts';

const typesIn = (home: Home) => parseLines(readFileSync(home.journal('oak'), 'utf8')).map(({ type }) => type as string);

describe('ollm repl --resume of a session that a server holds', () => {
  it('is given it at once where nothing runs', async () => {
    using home = createHome();
    await using server = await serve(home);
    await server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'offline', name: 'oak' });
    await until(async () => (await server.data('/api/llm/sessions/oak/activity')).activity.kind === 'free');
    expect((await home.run(['repl', '--resume', 'oak'], { input: 'hello again\n' })).exitCode).toBe(0);
    expect(typesIn(home).filter((type) => type === 'turn.started')).toHaveLength(2);
  });

  it('shows the turn that runs, and opens at its end', async () => {
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

  it('is refused by a server that does not answer any more, with its address', async () => {
    using home = createHome();
    await using server = await serve(home);
    await server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'offline', name: 'oak' });
    await until(async () => (await server.data('/api/llm/sessions/oak/activity')).activity.kind === 'free');
    server.child.kill('SIGSTOP');
    const { exitCode, stderr } = await home.run(['repl', '--resume', 'oak'], { input: 'hello\n' });
    server.child.kill('SIGCONT');
    expect(exitCode).toBe(5);
    expect(stderr).toContain(`It is a server, at ${server.address}, which does not answer.`);
  });
});
