// A session that is written for another program over HTTP.
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '../../lib/api/routes.ts';
import { HANDOVER_NAMES } from '../../lib/handover/targets.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';

describe('a session that is handed to a different program', () => {
  let home: Home;
  let server: Served;
  beforeAll(async () => {
    home = createHome();
    mkdirSync(join(home.path, '.codex'));
    const parts = [{ type: 'text', text: 'Where is the harbour?' }];
    await home.append('boat', [{ type: 'message.added', data: { role: 'user', parts, trusted: true } }]);
    server = await serve(home, [], { env: { HOME: home.path } });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  const write = (body: object) => server.post('/api/llm/sessions/boat/continue-in', body);

  it('is written once, with the command that continues it', async () => {
    const { status, body } = await write({ to: 'codex' });
    expect(status).toBe(200);
    const { path, command, lines, address } = body.data;
    expect(path.startsWith(join(realpathSync(home.path), '.codex', 'sessions'))).toBe(true);
    expect(existsSync(path)).toBe(true);
    expect(command).toContain(`&& codex resume ${address.slice('codex:'.length)}`);
    expect(lines).toEqual([expect.stringContaining('Wrote codex:'), 'Read back: equal.']);
    expect((await write({ to: 'codex' })).body.data).toMatchObject({
      path,
      lines: [expect.stringMatching(/^Already/)],
    });
  });

  it('is not written for a program that was never started here, with that reason', async () => {
    const { status, body } = await write({ to: 'qwen' });
    expect(status).toBe(503);
    expect(body.error).toMatchObject({ code: 'IO_FAILED', message: expect.stringContaining('nothing was written') });
    expect(readdirSync(home.path)).not.toContain('.qwen');
  });

  it('can go to any program that the command line knows, and to no other', async () => {
    const route = ROUTES.find(({ name }) => name === 'continueIn') as {
      body?: { properties: { to: { enum: unknown } } };
    };
    expect(route.body?.properties.to.enum).toEqual(HANDOVER_NAMES);
    expect((await write({ to: 'kimi' })).status).toBe(400);
  });
});
