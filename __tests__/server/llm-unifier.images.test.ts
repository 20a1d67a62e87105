// Images that are sent with a prompt, and kept under their content.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createRunHome } from '../runs/run-home.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type Json, type Served, serve } from '../support/served.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('images', () => {
  let home: Home;
  let server: Served;
  beforeAll(async () => {
    home = createHome();
    server = await serve(home);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  /** `files`: names and contents. */
  async function upload(files: readonly (readonly [name: string, bytes: Uint8Array])[], field = 'images') {
    const form = new FormData();
    for (const [name, bytes] of files) form.append(field, new File([new Uint8Array(bytes)], name));
    const response = await fetch(`${server.address}/api/llm/assets/images`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}` },
      body: form,
    });
    const body = (await response.json()) as { readonly data?: { readonly images: object[] }; readonly error?: object };
    return { status: response.status, ...body };
  }

  it('are stored once under their content, readable only for the user', async () => {
    const hash = hashOf(PNG);
    const { status, data } = await upload([
      ['../../a.png', PNG],
      ['again.jpg', PNG],
    ]);
    const path = join(home.path, 'assets', `${hash}.png`);
    const asset = { hash, storedName: `${hash}.png`, absolutePath: path, mimeType: 'image/png', size: PNG.length };
    expect({ status, data }).toMatchObject({
      status: 201,
      data: {
        images: [
          { ...asset, originalName: 'a.png' },
          { ...asset, originalName: 'again.jpg' },
        ],
      },
    });
    expect(readdirSync(join(home.path, 'assets'))).toEqual([`${hash}.png`]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path)).toEqual(PNG);
    const shown = await server.ask(`/api/llm/assets/${hash}`);
    expect({ status: shown.status, type: shown.headers['content-type'] }).toEqual({ status: 200, type: 'image/png' });
    expect(shown.headers['cache-control']).toContain('immutable');
  });

  it.each<[string, readonly (readonly [string, Uint8Array])[], string]>([
    ['no image by its bytes', [['page.png', Buffer.from('<svg onload="x">')]], 'UNSUPPORTED_IMAGE_TYPE'],
    [
      'one good and one bad',
      [
        ['a.png', Buffer.concat([PNG, Buffer.from('x')])],
        ['b.png', Buffer.from('GIF')],
      ],
      'UNSUPPORTED_IMAGE_TYPE',
    ],
    ['nothing', [], 'IMAGE_REQUIRED'],
    ['eleven', Array.from({ length: 11 }, (_, index) => [`${index}.png`, PNG] as const), 'TOO_MANY_FILES'],
  ])('are refused, and nothing is stored: %s', async (_, files, code) => {
    const kept = () => readdirSync(home.path).includes('assets') && readdirSync(join(home.path, 'assets'));
    const before = kept();
    expect(await upload(files)).toMatchObject({ status: 400, error: { code } });
    expect(kept()).toEqual(before);
  });

  it('are refused over 20 MiB', async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(20 * 1024 * 1024)]);
    expect(await upload([['large.png', large]])).toMatchObject({ status: 413, error: { code: 'BODY_TOO_LARGE' } });
  });

  it('are accepted while a different client sends a large one slowly', async () => {
    const slow = request(new URL('/api/llm/assets/images', server.address), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': String(200 * 1024 * 1024),
      },
    });
    slow.on('error', () => {});
    await new Promise<void>((resolve) => slow.write('--x\r\n', () => resolve()));
    expect((await upload([['a.png', PNG]])).status).toBe(201);
    slow.destroy();
  });

  it('are refused in an unknown field, as an unsupported type, or cut off', async () => {
    expect(await upload([['a.png', PNG]], 'files')).toMatchObject({ status: 400, error: { code: 'IMAGE_REQUIRED' } });
    const post = (type: string, body: string) =>
      server.ask('/api/llm/assets/images', { method: 'POST', headers: { 'content-type': type }, body });
    expect((await post('application/json', '{}')).status).toBe(415);
    expect((await post('multipart/form-data; boundary=x', '--x\r\nhalf')).status).toBe(400);
  });

  it('are not found by an unknown hash', async () => {
    expect((await server.ask(`/api/llm/assets/${'0'.repeat(64)}`)).body.error.code).toBe('ASSET_NOT_FOUND');
  });
});

it('images are handed to an agent of another vendor, by upload and by path, and stay with its session', async () => {
  using runs = createRunHome();
  runs.trust([runs.project], { server: { workspaces: [runs.project] } });
  const env = { PATH: runs.agentThatWrites(), HOME: runs.home.path };
  await using server = await serve(runs.home, [], { env, cwd: runs.project });
  const form = new FormData();
  form.append('images', new File([PNG], 'a.png'));
  const headers = { authorization: `Bearer ${server.token}` };
  const sent = await fetch(`${server.address}/api/llm/assets/images`, { method: 'POST', headers, body: form });
  const { hash, absolutePath } = ((await sent.json()) as Json).data.images[0];
  writeFileSync(join(runs.project, 'b.png'), Buffer.concat([PNG, Buffer.from('b')]));
  writeFileSync(join(runs.project, 'c.png'), 'no image');
  const start = (body: object) =>
    server.post('/api/llm/providers/qwen/sessions/start?wait=1', {
      ...{ prompt: 'What is in it?', workspacePath: runs.project },
      ...body,
    });
  for (const path of ['none.png', '/etc/hostname', '.']) {
    expect((await start({ imagePaths: [path] })).body.error.code).toBe('INVALID_IMAGE_PATHS');
  }
  expect((await start({ imagePaths: ['c.png'] })).body.error.message).toContain('not an image');
  expect((await start({ assets: ['f'.repeat(64)] })).body.error.code).toBe('ASSET_NOT_FOUND');
  expect(runs.journals()).toEqual([]);

  const { messages, sessionId } = (await start({ assets: [hash], imagePaths: ['b.png', absolutePath] })).body.data;
  const [asked] = messages.filter(({ type }: Json) => type === 'user_message');
  const second = hashOf(readFileSync(join(runs.project, 'b.png')));
  expect(asked.images.map((image: Json) => image.hash)).toEqual([hash, second, hash]);
  // They are in the file of the agent, and kept with the session.
  const chats = join(runs.home.path, '.qwen/projects/-work/chats');
  const written = readFileSync(join(chats, `${sessionId.slice('qwen:'.length)}.jsonl`), 'utf8');
  expect(written).toContain(PNG.toString('base64'));
  const kept = await server.ask(`/api/llm/sessions/${encodeURIComponent(sessionId)}/assets/${second}`);
  expect([kept.status, kept.headers['content-type']]).toEqual([200, 'image/png']);
});
