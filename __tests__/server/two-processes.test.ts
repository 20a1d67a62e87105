// A server alongside other processes on the same home: a command that writes, a second server, `ollm open`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHome } from '../support/cli.ts';
import { atRest, serve } from '../support/served.ts';
import { until } from '../support/until.ts';

const start = (server: Awaited<ReturnType<typeof serve>>, name: string) =>
  server.post('/api/llm/sessions', { prompt: 'hello', answerer: 'offline', name });

describe('a server', () => {
  it('reads a session that a different process writes, and does not write it', async () => {
    using home = createHome();
    await using server = await serve(home);
    const writer = home.start(['append', 'oak', '--create']);
    writer.stdin?.write(
      `${JSON.stringify({ type: 'message.added', data: { role: 'user', parts: [], trusted: true } })}\n`,
    );
    await new Promise((resolve) => writer.stdout?.once('data', resolve));
    expect(await server.data('/api/llm/sessions/oak')).toMatchObject({ locked: true });
    expect((await server.data('/api/llm/sessions/oak/history')).entries).toHaveLength(2);
    expect(await server.post('/api/llm/sessions/oak/turns', { prompt: 'hello', answerer: 'offline' })).toMatchObject({
      status: 409,
      body: { error: { code: 'SESSION_LOCKED', details: { holder: { pid: writer.pid } } } },
    });
    const ended = new Promise((resolve) => writer.once('close', resolve));
    writer.stdin?.end();
    await ended;
    expect((await server.post('/api/llm/sessions/oak/turns', { prompt: 'hello', answerer: 'offline' })).status).toBe(
      202,
    );
  });

  it('redirects to the server that holds a session', async () => {
    using home = createHome();
    await using one = await serve(home);
    await using other = await serve(home);
    await start(one, 'oak');
    await atRest(one, 'oak');
    expect(await other.post('/api/llm/sessions/oak/turns', { prompt: 'hello' })).toMatchObject({
      status: 409,
      body: { error: { code: 'NOT_OWNER', details: { address: one.address } } },
    });
    expect((await other.data('/api/llm/sessions/oak/history?from=-1')).entries).toHaveLength(1);
  });

  it('releases a free session, so that a different process can write it', async () => {
    using home = createHome();
    await using server = await serve(home);
    await start(server, 'oak');
    await atRest(server, 'oak');
    const append = () =>
      home.run(['append', 'oak'], { input: '{"type":"session.titled","data":{"title":"Oak","by":"user"}}\n' });
    expect((await append()).exitCode).toBe(5);
    expect((await server.post('/api/llm/sessions/oak/hand-over')).body.data).toEqual({ kind: 'free' });
    expect((await append()).exitCode).toBe(0);
  });

  it('hands a session to the REPL, at the end of the running turn', async () => {
    using home = createHome();
    const project = join(home.path, 'garden');
    mkdirSync(project);
    const env = { OLLM_HOME: join(home.path, 'ollm') };
    await using server = await serve(home, [], { cwd: project, env });
    await start(server, 'oak');
    await atRest(server, 'oak');
    const repl = () =>
      home.run(['repl', '--resume', 'oak', '--quiet'], { input: 'hello from here\n', env, cwd: project });
    expect(await repl()).toMatchObject({ exitCode: 0 });
    await server.post('/api/llm/sessions/oak/turns', { prompt: `bash ${JSON.stringify({ command: 'touch one' })}` });
    await until(async () => (await server.data('/api/llm/questions')).questions.length === 1);
    const later = home.run(['repl', '--resume', 'oak'], { input: 'and from here\n', env, cwd: project });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { id, hash } = (await server.data('/api/llm/questions')).questions[0];
    await server.post(`/api/llm/sessions/oak/questions/${id}`, { decision: 'no', hash });
    expect(await later).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/server/i) });
    const { messages } = await server.data('/api/llm/sessions/oak/messages');
    const said = messages.filter(({ type }: { type: string }) => type === 'user_message');
    expect(said.map(({ text }: { text: string }) => text)).toEqual([
      'hello',
      'hello from here',
      expect.stringContaining('touch one'),
      'and from here',
    ]);
  });

  it('is opened by a link that works once, and gains the directory as a workspace', async () => {
    using home = createHome();
    expect(await home.run(['open'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('ollm serve --open'),
    });
    await using server = await serve(home);
    await start(server, 'oak');
    const { stdout, exitCode } = await home.run(['open', 'oak'], { env: { DISPLAY: '', BROWSER: '' } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(`${server.address}/join#`) });
    const [, code, view] = /\/join#([\w-]+)(\S*)/.exec(stdout) ?? [];
    expect(view).toBe('/s/oak');
    const enter = () =>
      server.post('/api/auth/code', { code }, { isStranger: true, headers: { origin: server.address } });
    expect((await enter()).status).toBe(200);
    expect((await enter()).status).toBe(401);
    const { workspaces } = await server.data('/api/llm/workspaces');
    expect(workspaces).toContainEqual(expect.objectContaining({ path: home.path }));
  });
});
