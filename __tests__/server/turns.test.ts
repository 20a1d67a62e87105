// Turns over HTTP, with the search that answers without a model: begin, queue, stop, questions, take back, fork, name;
// and what all clients are sent meanwhile.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { EventClient } from '../support/event-source.ts';
import { atRest, type Json, type Served, serve } from '../support/served.ts';
import { until } from '../support/until.ts';

/** A home with a project next to it, in which the server runs. */
async function world(): Promise<{ home: Home; project: string; server: Served } & AsyncDisposable> {
  const home = createHome();
  const project = join(home.path, 'garden');
  mkdirSync(project);
  const server = await serve(home, [], { cwd: project, env: { OLLM_HOME: join(home.path, 'ollm') } });
  return {
    home,
    project,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

const ask = (command: string) => `bash ${JSON.stringify({ command })}`;
const start = (server: Served, body: object) => server.post('/api/llm/sessions', { answerer: 'offline', ...body });

describe('a turn over HTTP', () => {
  it('begins a session, is followed while it runs, and the next one continues the session', async () => {
    await using made = await world();
    const { server } = made;
    const { status, body } = await start(server, { prompt: 'hello', name: 'oak' });
    expect({ status, data: body.data }).toEqual({
      status: 202,
      data: { sessionId: 'oak', promptId: expect.any(String), ahead: 0, seq: expect.any(Number) },
    });
    const client = await new EventClient(server, '/api/llm/sessions/oak/events?from=0').open();
    await client.type('turn.ended');
    expect((await server.post('/api/llm/sessions/oak/turns', { prompt: 'hello again' })).status).toBe(202);
    await client.type('turn.ended', 2);
    expect(client.seqs()).toEqual(client.seqs().map((_, seq) => seq));
    expect(client.stored().every(({ id, data }) => id === String(data.seq) && data.sessionId === 'oak')).toBe(true);
    client.close();
  });

  it('is refused without a prompt, in a foreign directory, with an unknown mode, and with a missing attachment', async () => {
    await using made = await world();
    const { server } = made;
    const refused = async (body: object) => {
      const { status, body: answer } = await start(server, body);
      return [status, answer.error.code];
    };
    expect(await refused({})).toEqual([400, 'PROMPT_REQUIRED']);
    expect(await refused({ prompt: ' ' })).toEqual([400, 'PROMPT_REQUIRED']);
    expect(await refused({ prompt: 'x', workspacePath: '/etc' })).toEqual([403, 'WORKSPACE_NOT_ALLOWED']);
    expect(await refused({ prompt: 'x', runtimePermissionMode: 'yolo' })).toEqual([
      400,
      'INVALID_RUNTIME_PERMISSION_MODE',
    ]);
    expect(await refused({ prompt: 'x', allowYolo: true })).toEqual([403, 'UNATTENDED_NOT_ALLOWED']);
    expect(await refused({ prompt: 'x', assets: ['0'.repeat(64)] })).toEqual([404, 'ASSET_NOT_FOUND']);
    expect(await refused({ prompt: 'x', answerer: 'clippy' })).toEqual([400, 'PROVIDER_UNKNOWN']);
    for (const path of ['/etc/hostname', 'no-such.png', '.', `${made.project}/../../etc/hostname`]) {
      expect([path, ...(await refused({ prompt: 'x', imagePaths: [path] }))]).toEqual([
        path,
        400,
        'INVALID_IMAGE_PATHS',
      ]);
    }
    expect((await server.data('/api/llm/providers/ollm/sessions')).sessions).toEqual([]);
  });

  it('is awaited with the routes of the sources', async () => {
    await using made = await world();
    const { server } = made;
    const started = await server.post('/api/llm/providers/ollm/sessions/start?wait=1', {
      prompt: 'hello',
      answerer: 'offline',
    });
    expect(started.body.data).toMatchObject({
      provider: 'ollm',
      family: 'sdk',
      status: 'completed',
      messages: expect.arrayContaining([expect.objectContaining({ type: 'user_message', text: 'hello' })]),
    });
    const { sessionId } = started.body.data;
    const at = `/api/llm/providers/ollm/sessions/${sessionId}`;
    const resumed = await server.post(`${at}/resume?wait=1`, { prompt: 'more' });
    expect(resumed).toMatchObject({ status: 202, body: { data: { sessionId, status: 'completed' } } });
    expect(await server.data(at)).toMatchObject({ sessionId, status: 'completed' });
    const { workspacePath } = started.body.data;
    expect((await server.post(`${at}/resume?wait=1`, { prompt: 'here', workspacePath })).status).toBe(202);
    expect((await server.post(`${at}/resume`, { prompt: 'there', workspacePath: '/etc' })).body.error).toMatchObject({
      code: 'INVALID_REQUEST_BODY',
      details: { workspacePath },
    });
    expect((await server.post(`${at}/stop`)).body.data).toEqual({ provider: 'ollm', sessionId, stopped: false });
    const patch = (path: string, body: object) => server.post(`${at}/${path}`, body, { method: 'PATCH' });
    expect((await patch('model', {})).body.error.code).toBe('MODEL_REQUIRED');
    expect((await patch('thinking', {})).body.error.code).toBe('THINKING_MODE_REQUIRED');
    expect((await patch('thinking', { thinkingMode: 'high' })).body.error.code).toBe('THINKING_MODE_NOT_SUPPORTED');
    expect((await patch('model', { model: 'none' })).status).toBe(404);
    expect((await server.data('/api/llm/providers/ollm/sessions')).sessions).toHaveLength(1);
    expect((await server.ask('/api/llm/providers/nobody/sessions')).body.error.code).toBe('UNSUPPORTED_PROVIDER');
  });

  it('asks all clients, the first answer counts, and the journal names its author', async () => {
    await using made = await world();
    const { server, project, home } = made;
    await start(server, { prompt: 'hello', name: 'oak' });
    await atRest(server, 'oak');
    const clients = await Promise.all([1, 2].map(() => new EventClient(server, '/api/llm/events?sessions=oak').open()));
    await server.post('/api/llm/sessions/oak/turns', { prompt: ask('touch planted') });
    const asked = (client: EventClient): Json | undefined =>
      client.events.find(({ event, data }) => event === 'signal' && data.type === 'question')?.data.question;
    for (const client of clients) await client.until((each) => asked(each) !== undefined);
    const question = asked(clients[0]!);
    expect(question).toMatchObject({ kind: 'call', call: { tool: 'bash', command: expect.anything() } });
    const at = `/api/llm/sessions/oak/questions/${question.id}`;
    expect((await server.data('/api/llm/questions')).questions).toMatchObject([{ id: question.id }]);
    expect(existsSync(join(project, 'planted'))).toBe(false);
    const answer = (decision: string, hash = question.hash) => server.post(at, { decision, hash });
    expect(await answer('once', 'f'.repeat(64))).toMatchObject({
      status: 409,
      body: { error: { code: 'QUESTION_CHANGED' } },
    });
    const [one, other] = await Promise.all([answer('once'), answer('no')]);
    const statuses = [one.status, other.status].sort();
    expect(statuses).toEqual([200, 409]);
    const late = one.status === 409 ? one : other;
    expect(late.body.error).toMatchObject({
      code: 'ALREADY_DECIDED',
      details: { end: { decision: expect.any(String) } },
    });
    for (const client of clients) {
      await client.until(({ events }) => events.some(({ data }) => data.type === 'question-end'));
      await client.type('tool.decided');
      await client.type('turn.ended');
    }
    const decided = clients[0]!.stored().find(({ data }) => data.type === 'tool.decided')!.data.data;
    expect(decided).toMatchObject({ by: 'user', address: expect.stringContaining('127.0.0.1') });
    expect(existsSync(join(project, 'planted'))).toBe(decided.decision === 'allow');
    expect((await server.data(at)).end).toMatchObject({ how: 'answered' });
    for (const client of clients) client.close();
    await server.end();
    const env = { OLLM_HOME: join(home.path, 'ollm') };
    expect((await home.run(['verify', 'oak'], { env })).exitCode).toBe(0);
  });

  it('waits in the queue, can be changed and removed there, and can be stopped', async () => {
    await using made = await world();
    const { server } = made;
    await start(server, { prompt: ask('touch one'), name: 'oak' });
    const activity = () => server.data('/api/llm/sessions/oak/activity');
    await until(async () => (await activity()).activity.kind === 'waiting');
    const queued = async (prompt: string) => (await server.post('/api/llm/sessions/oak/turns', { prompt })).body.data;
    const second = await queued('second');
    const third = await queued('third');
    expect([second.ahead, third.ahead]).toEqual([1, 2]);
    const at = '/api/llm/sessions/oak/queue';
    const edited = await server.post(`${at}/${second.promptId}`, { text: 'changed' }, { method: 'PATCH' });
    expect(edited.body.data).toMatchObject({ text: 'changed' });
    expect((await server.ask(`${at}/${third.promptId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await server.ask(`${at}/${third.promptId}`, { method: 'DELETE' })).body.error.code).toBe(
      'PROMPT_NOT_FOUND',
    );
    expect((await activity()).queue).toMatchObject([{ text: 'changed' }]);
    expect((await server.ask('/api/llm/sessions/oak', { method: 'DELETE' })).body.error.code).toBe('SESSION_BUSY');
    expect((await server.post('/api/llm/sessions/oak/undo')).body.error.code).toBe('SESSION_BUSY');
    expect((await server.post('/api/llm/sessions/oak/stop')).body.data).toEqual({ sessionId: 'oak', stopped: true });
    await atRest(server, 'oak');
    const { messages } = await server.data('/api/llm/sessions/oak/messages');
    const said = messages.filter(({ type }: { type: string }) => type === 'user_message');
    expect(said.map(({ text }: { text: string }) => text)).toEqual([ask('touch one'), 'changed']);
  });

  it('is undone, and its session forked, named and deleted', async () => {
    await using made = await world();
    const { server } = made;
    await start(server, { prompt: 'first', name: 'oak' });
    await atRest(server, 'oak');
    await server.post('/api/llm/sessions/oak/turns', { prompt: 'second' });
    await atRest(server, 'oak');
    expect((await server.post('/api/llm/sessions/oak/undo')).body.data).toEqual({ undone: true, text: 'second' });
    const fork = await server.post('/api/llm/sessions/oak/fork', { at: 2, name: 'elm' });
    expect(fork).toMatchObject({ status: 201, body: { data: { sessionId: 'elm', at: 2 } } });
    const rename = (summary?: string) => server.post('/api/llm/sessions/oak/rename', { summary }, { method: 'PUT' });
    expect((await rename()).body.error.code).toBe('SUMMARY_REQUIRED');
    expect((await rename('x'.repeat(201))).body.error.code).toBe('SUMMARY_TOO_LONG');
    expect(await rename('x'.repeat(500))).toMatchObject({ status: 400, body: { error: { code: 'SUMMARY_TOO_LONG' } } });
    expect((await server.data('/api/llm/sessions/oak')).title).toBe('first');
    expect((await rename('\x1b\x00')).body.error.code).toBe('SUMMARY_REQUIRED');
    expect((await rename(' An\x1b  old\x00oak ')).body.data).toEqual({ sessionId: 'oak', summary: 'An old oak' });
    const taken = await server.post('/api/llm/sessions/oak/fork', { name: 'oak' });
    expect(taken).toMatchObject({ status: 409, body: { error: { code: 'SESSION_EXISTS' } } });
    expect(await server.data('/api/llm/sessions/oak')).toMatchObject({ title: 'An old oak' });
    expect((await server.ask('/api/llm/sessions/elm', { method: 'DELETE' })).body.data.outcome).toBe('trashed');
    expect((await server.post('/api/llm/sessions/oak/compact')).body).toMatchObject({ success: expect.any(Boolean) });
  });

  it('is ended in order when the server is stopped, and its clients are told', async () => {
    await using made = await world();
    const { server, home } = made;
    await start(server, { prompt: ask('touch one'), name: 'oak' });
    const client = await new EventClient(server, '/api/llm/sessions/oak/events?from=0').open();
    await client.until(({ events }) => events.some(({ data }) => data.type === 'question'));
    expect(await server.end()).toEqual([143, null]);
    await client.until(({ isEnded }) => isEnded);
    expect(client.events.at(-1)).toMatchObject({ event: 'end' });
    const env = { OLLM_HOME: join(home.path, 'ollm') };
    const { stdout, exitCode } = await home.run(['tail', 'oak', '--json', '-n', '50'], { env });
    expect(exitCode).toBe(0);
    expect(parseLines(stdout).map(({ type }) => type)).toContain('turn.ended');
  });
});

describe('events over HTTP', () => {
  it('continue after the last id, over a restart of a killed server, without a gap and without a double', async () => {
    const home = createHome();
    try {
      const seen: number[] = [];
      let lastId: string | undefined;
      for (let round = 0; round < 3; round++) {
        await using server = await serve(home);
        if (round === 0) await start(server, { prompt: 'hello', name: 'oak' });
        else await server.post('/api/llm/sessions/oak/turns', { prompt: `again ${round}` });
        const path = `/api/llm/sessions/oak/events${lastId === undefined ? '?from=0' : ''}`;
        const client = await new EventClient(server, path, lastId).open();
        // Killed in the middle of it.
        await client.until((each) => each.stored().length > 2);
        await server.end('SIGKILL');
        seen.push(...client.seqs());
        lastId = client.lastId;
        client.close();
      }
      await using server = await serve(home);
      const { head } = await server.data('/api/llm/sessions/oak/history?from=-1');
      const client = await new EventClient(server, '/api/llm/sessions/oak/events', lastId).open();
      // The next server closes the turn that the killed one left open, so the head may grow.
      await client.until((each) => (each.seqs().at(-1) ?? seen.at(-1)!) >= head);
      seen.push(...client.seqs());
      client.close();
      expect(seen).toEqual(seen.map((_, seq) => seq));
    } finally {
      home[Symbol.dispose]();
    }
  });

  it('of several sessions come on one connection, which continues at the position of each', async () => {
    using home = createHome();
    await using server = await serve(home);
    for (const name of ['oak', 'elm']) {
      await start(server, { prompt: 'hello', name });
      await atRest(server, name);
    }
    const path = '/api/llm/events?sessions=oak,elm';
    const client = await new EventClient(server, path).open();
    await client.until(({ events }) => events.filter(({ event }) => event === 'hello').length === 2);
    const turn = async (name: string, text: string) => {
      await server.post(`/api/llm/sessions/${name}/turns`, { prompt: text });
      await atRest(server, name);
    };
    await turn('oak', 'one');
    await turn('elm', 'two');
    await client.type('turn.ended', 2);
    client.close();
    await turn('oak', 'three');
    const back = await new EventClient(server, path, client.lastId).open();
    await back.type('turn.ended');
    for (const name of ['oak', 'elm']) {
      const seqs = [client, back].flatMap((each) =>
        each.stored().flatMap(({ data }) => (data.sessionId === name ? [data.seq as number] : [])),
      );
      expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
    }
    expect(back.stored().every(({ data }) => data.sessionId === 'oak')).toBe(true);
    back.close();
  });

  it('of several sessions miss nothing of a session without events before the client left', async () => {
    using home = createHome();
    await using server = await serve(home);
    for (const name of ['oak', 'elm']) {
      await start(server, { prompt: 'hello', name });
      await atRest(server, name);
    }
    const turn = async (name: string) => {
      await server.post(`/api/llm/sessions/${name}/turns`, { prompt: 'more' });
      await atRest(server, name);
    };
    const path = '/api/llm/events?sessions=oak,elm';
    const client = await new EventClient(server, path).open();
    await client.until(({ events }) => events.filter(({ event }) => event === 'hello').length === 2);
    await turn('oak');
    await client.type('turn.ended');
    client.close();
    await turn('elm');
    const back = await new EventClient(server, path, client.lastId).open();
    await back.type('turn.ended');
    expect(back.stored().some(({ data }) => data.sessionId === 'elm')).toBe(true);
    back.close();
  });

  it('of one session miss nothing if the client left before the first event', async () => {
    using home = createHome();
    await using server = await serve(home);
    await start(server, { prompt: 'hello', name: 'oak' });
    await atRest(server, 'oak');
    const path = '/api/llm/sessions/oak/events';
    const client = await new EventClient(server, path).open();
    await client.until(({ events }) => events.length > 0);
    client.close();
    await server.post('/api/llm/sessions/oak/turns', { prompt: 'more' });
    await atRest(server, 'oak');
    const back = await new EventClient(server, path, client.lastId).open();
    await back.type('turn.ended');
    back.close();
  });

  it('from a number beyond the head are only new events, without a reset', async () => {
    using home = createHome();
    await using server = await serve(home);
    await start(server, { prompt: 'hello', name: 'oak' });
    await atRest(server, 'oak');
    const { head } = await server.data('/api/llm/sessions/oak/history?from=-1');
    const client = await new EventClient(server, `/api/llm/sessions/oak/events?from=${head + 50}`).open();
    await client.until(({ events }) => events.length > 0);
    await server.post('/api/llm/sessions/oak/turns', { prompt: 'more' });
    await client.type('turn.ended');
    expect(client.events.some(({ event }) => event === 'reset')).toBe(false);
    expect(client.seqs()[0]).toBeGreaterThan(head);
    client.close();
    const headers = { 'last-event-id': 'x'.repeat(9_000) };
    const { status, body } = await server.ask('/api/llm/events?sessions=oak', { headers });
    expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('come from as many sessions with the longest ids as may be followed, after any last event', async () => {
    using home = createHome();
    await using server = await serve(home);
    const longest = (at: number) => `${'a'.repeat(32)}:${String(at).padEnd(300, 'b')}`;
    const sessions = Array.from({ length: 32 }, (_, at) => encodeURIComponent(longest(at))).join(',');
    const headers = { 'last-event-id': 'x'.repeat(5_000), 'user-agent': 'a browser'.repeat(100) };
    const codes = [sessions, `${sessions}b`].map(async (list) => {
      const { body } = await server.ask(`/api/llm/events?sessions=${list}`, { headers });
      return body.error.code;
    });
    // The first list leads to a search for its sessions.
    expect(await Promise.all(codes)).toEqual(['SESSION_ID_INVALID', 'INVALID_QUERY']);
  });

  it.each(['', 'oak,,elm', 'oak,../x', Array.from({ length: 33 }, (_, index) => `s${index}`).join(',')])(
    'are refused for an invalid list: %s',
    async (sessions) => {
      using home = createHome();
      await using server = await serve(home);
      expect((await server.ask(`/api/llm/events?sessions=${sessions}`)).status).toBe(400);
      expect((await server.ask('/api/llm/events?sessions=none')).status).toBe(404);
    },
  );
});
