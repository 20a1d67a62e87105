import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { attachFiles } from '../../../lib/app/context/attach-files.ts';
import type { Conversation } from '../../../lib/app/conversation.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1');

async function world() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-attach-')));
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  const env = { HOME: home, OLLM_HOME: join(home, '.ollm') };
  const app = await createApp({ env, cwd: project, command: 'test' });
  const conversation = await openSession(app, { kind: 'new', provider: 'offline', ephemeral: true });
  const seeing = {
    ...conversation,
    choice: {
      ...conversation.choice,
      provider: {
        ...conversation.choice.provider,
        capabilities: { ...conversation.choice.provider.capabilities, images: true },
      },
    },
  } as Conversation;
  return {
    home,
    put: (name: string, content: string | Uint8Array) => writeFileSync(join(project, name), content),
    attach: (text: string, { allowOutside = true, typed = text, sees = false } = {}) =>
      attachFiles(app, sees ? seeing : conversation, { text, typed, allowOutside }),
    blob: async (part: unknown) =>
      Buffer.from((await conversation.store.readBlob((part as { blob: string }).blob))!).toString(),
    project,
    async [Symbol.asyncDispose]() {
      await conversation.session.close('exit');
      await app.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

describe('attached files', () => {
  it('are parts after the text of the message, which stays unchanged', async () => {
    await using at = await world();
    at.put('notes.txt', 'remember the milk\n');
    const { input, notices } = await at.attach('read @notes.txt.');
    expect(input.text).toBe('read @notes.txt.');
    expect(input.parts).toMatchObject([
      { type: 'text', text: 'read @notes.txt.' },
      { type: 'file', name: 'notes.txt', mediaType: 'text/plain; charset=utf-8' },
    ]);
    expect(await at.blob(input.parts?.[1])).toBe('remember the milk\n');
    expect(notices).toEqual(['Sent along: notes.txt, 18 bytes.']);
  });

  it('count for as many tokens as they have', async () => {
    await using at = await world();
    at.put('long.txt', 'a few words of some length '.repeat(10_000));
    const { input } = await at.attach('read @long.txt');
    expect(input.tokens).toMatchObject({ method: 'estimated' });
    expect(input.tokens!.count).toBeGreaterThan(40_000);
  });

  it('are images by their content, if the provider accepts any', async () => {
    await using at = await world();
    at.put('picture.txt', PNG);
    const { input } = await at.attach('see @picture.txt', { sees: true });
    expect(input.parts?.[1]).toMatchObject({ type: 'image', mediaType: 'image/png' });
    await expect(at.attach('see @picture.txt')).rejects.toMatchObject({
      message: 'picture.txt is an image, and offline takes no images. Nothing was asked.',
    });
  });

  it('lose their secrets before they are stored', async () => {
    await using at = await world();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    at.put('key.txt', `token ${secret}\n`);
    const { input } = await at.attach('@key.txt');
    expect(await at.blob(input.parts?.[1])).not.toContain(secret);
  });

  it('are found in typed text, not in pasted text', async () => {
    await using at = await world();
    const text = 'look:\n@missing/file.ts\n@decorator';
    expect(await at.attach(text, { typed: 'look: [pasted 1: 2 lines]' })).toEqual({ input: { text }, notices: [] });
  });

  it('are none if a word only begins with an @', async () => {
    await using at = await world();
    expect((await at.attach('ask @bob')).input).toEqual({ text: 'ask @bob' });
  });

  it('are none in the name of a package, which is sent as text with a notice', async () => {
    await using at = await world();
    mkdirSync(join(at.project, 'types'));
    const text = 'install @types/node with npm';
    expect(await at.attach(text)).toEqual({
      input: { text },
      notices: ['There is no file types/node: @types/node is sent as text.'],
    });
  });

  it.each<[string, string, (at: Awaited<ReturnType<typeof world>>) => void]>([
    ['missing', 'There is no file missing.txt.', () => {}],
    ['a directory', 'missing.txt is a directory.', (at) => mkdirSync(join(at.project, 'missing.txt'))],
    ['binary', 'missing.txt is binary.', (at) => at.put('missing.txt', Buffer.from([1, 0, 2]))],
    ['no UTF-8', 'missing.txt is binary.', (at) => at.put('missing.txt', Buffer.from([0xff, 0xfe, 0x41]))],
    ['too long', 'missing.txt has 2.0 MB; the limit is 1.0 MB.', (at) => at.put('missing.txt', 'x'.repeat(2e6))],
    ['far too long', 'missing.txt has 6.0 MB; the limit is 5.2 MB.', (at) => at.put('missing.txt', 'x'.repeat(6e6))],
    [
      'a byte too long',
      'missing.txt has 1,048,577 bytes; the limit is 1,048,576 bytes.',
      (at) => at.put('missing.txt', 'x'.repeat(1_048_577)),
    ],
    ['a pipe', 'missing.txt is not a regular file.', (at) => spawnSync('mkfifo', [join(at.project, 'missing.txt')])],
    [
      'a link to nothing',
      'There is no file missing.txt.',
      (at) => symlinkSync('nowhere', join(at.project, 'missing.txt')),
    ],
  ])('are refused with the reason if one is %s, without a question', async (_, message, prepare) => {
    await using at = await world();
    prepare(at);
    await expect(at.attach('read @missing.txt')).rejects.toMatchObject({
      code: 'USAGE',
      message: `${message} Nothing was asked.`,
    });
  });

  it('are refused above the limit', async () => {
    await using at = await world();
    const all = Array.from({ length: 21 }, (_, index) => `f${index}.txt`);
    for (const name of all) at.put(name, name);
    await expect(at.attach(all.map((name) => `@${name}`).join(' '))).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('come from outside the project only if the user named them, also through a link', async () => {
    await using at = await world();
    writeFileSync(join(at.home, 'private.txt'), 'mine');
    symlinkSync(join(at.home, 'private.txt'), join(at.project, 'inside.txt'));
    for (const name of ['@../private.txt', '@~/private.txt', '@inside.txt', `@${at.home}/private.txt`]) {
      expect((await at.attach(name)).input.parts).toHaveLength(2);
      await expect(at.attach(name, { allowOutside: false })).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    }
  });
});
