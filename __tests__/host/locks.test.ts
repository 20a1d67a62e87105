import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostLimits } from '../../lib/host/port/limits.ts';
import { LineBuffer } from '../../lib/journal/line/buffer.ts';
import { bytesBetweenSeqAndPrev } from '../../lib/journal/line/codec.ts';
import { makeSealedSession } from '../support/sealed-session.ts';
import { until } from '../support/until.ts';
import { follow, type HostWorld, hostWorld } from './world.ts';

const PASSPHRASE = 'walnut tree in the garden';
const said = (text: string) => ({
  type: 'message.added',
  data: { role: 'user', parts: [{ type: 'text', text }], trusted: true },
});

async function sealed(limits: Partial<HostLimits> = {}): Promise<HostWorld> {
  const world = await hostWorld({ limits, env: { OLLM_LOG__LEVEL: 'debug' } });
  const { env, project: cwd } = world;
  await makeSealedSession({ env, cwd, id: 'diary', passphrase: PASSPHRASE, lines: [said('a secret acorn')] });
  return world;
}

/** What an export says of it: it is read in a worker. */
async function exported({ host }: HostWorld, id = 'diary'): Promise<string> {
  const pieces = await Array.fromAsync(host.work.stream('export', { reference: id, format: 'md' }));
  return Buffer.concat(pieces).toString();
}

describe('an encrypted session in a server', () => {
  it('is opened by its passphrase, here and in the workers, until it is locked', async () => {
    await using world = await sealed();
    const { locks } = world.host;
    await expect(exported(world)).rejects.toMatchObject({ code: 'SESSION_ENCRYPTED', data: { by: 'passphrase' } });
    expect(await locks.unlock('diary', PASSPHRASE)).toBe('diary');
    expect([...locks.unlocked()]).toEqual(['diary']);
    expect(await exported(world)).toContain('acorn');
    const page = { reference: 'diary', from: 0, limit: 100, withMessages: false };
    const { json } = await world.host.work.run('history', page);
    expect(Buffer.from(json).toString()).toContain('acorn');
    await locks.lock('diary');
    expect([...locks.unlocked()]).toEqual([]);
    await expect(exported(world)).rejects.toMatchObject({ code: 'SESSION_ENCRYPTED' });
    // A passphrase that opened it once opens it again, and no key is left by which it would open itself.
    await expect(locks.unlock('diary', `${PASSPHRASE}s`)).rejects.toMatchObject({ code: 'KEY_WRONG' });
    await locks.unlock('diary', PASSPHRASE);
    expect(await exported(world)).toContain('acorn');
  });

  it('has its readable title in lists only while it is unlocked', async () => {
    await using world = await sealed();
    const { locks, work } = world.host;
    const title = async () => (await work.run('listPage', { limit: 10 })).rows[0]?.title;
    const sealedTitle = await title();
    expect(sealedTitle ?? '').not.toContain('acorn');
    await locks.unlock('diary', PASSPHRASE);
    expect(await title()).toBe('a secret acorn');
    expect(await title()).toBe('a secret acorn');
    await locks.lock('diary');
    expect(await title()).toBe(sealedTitle);
  });

  it('writes its passphrase and its content nowhere in the clear', async () => {
    await using world = await sealed();
    await world.host.locks.unlock('diary', PASSPHRASE);
    await expect(world.host.locks.unlock('diary', 'oak tree elsewhere')).rejects.toMatchObject({ code: 'KEY_WRONG' });
    await world.host.sessions.prompt('diary', { text: 'and a secret beech' });
    await world.host.sessions.wait('diary');
    await world.host.work.run('listPage', { limit: 10 });
    await world.host.close();
    const files = readdirSync(world.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'latin1');
      for (const word of ['walnut', 'oak tree', 'acorn', 'beech'])
        expect([name, text.includes(word)]).toEqual([name, false]);
    }
  });

  it('accepts five wrong passphrases, and then none for a while', async () => {
    await using world = await sealed();
    const { locks } = world.host;
    for (let time = 1; time <= 5; time += 1) {
      await expect(locks.unlock('diary', `wrong ${time}`)).rejects.toMatchObject({ code: 'KEY_WRONG' });
    }
    await expect(locks.unlock('diary', PASSPHRASE)).rejects.toMatchObject({
      code: 'BUSY',
      data: { retryAfterMs: expect.any(Number) },
    });
    expect([...locks.unlocked()]).toEqual([]);
  });

  it('tries one passphrase at a time', async () => {
    await using world = await sealed();
    const { locks } = world.host;
    const [first, second] = await Promise.allSettled([locks.unlock('diary', PASSPHRASE), locks.unlock('diary', 'no')]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'BUSY' } });
  });

  it('continues with turns, and is locked together with its fork, which ends their followers', async () => {
    await using world = await sealed();
    const { host } = world;
    await host.locks.unlock('diary', PASSPHRASE);
    await host.sessions.prompt('diary', { text: 'What is a walnut?' });
    await host.sessions.wait('diary');
    const { sessionId: fork } = await host.sessions.fork('diary');
    expect([...host.locks.unlocked()].sort()).toEqual(['diary', fork].sort());
    expect(await exported(world, fork)).toContain('acorn');
    const client = follow(host, 'diary', 'start');
    await client.until(({ items }) => items.some(({ kind }) => kind === 'event'));
    await host.locks.lock(fork);
    await client.until(({ items }) => items.some((item) => item.kind === 'end' && item.reason === 'gone'));
    await client.leave();
    expect([...host.locks.unlocked()]).toEqual([]);
    await expect(host.sessions.prompt('diary', { text: 'more' })).rejects.toMatchObject({ code: 'SESSION_ENCRYPTED' });
  });

  it('is locked once it was not used for long enough, but not while it is followed', async () => {
    await using world = await sealed({ unlockedMs: 150 });
    const { host } = world;
    await host.locks.unlock('diary', PASSPHRASE);
    const client = follow(host, 'diary', 'start');
    await client.until(({ items }) => items.some(({ kind }) => kind === 'event'));
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect([...host.locks.unlocked()]).toEqual(['diary']);
    await client.leave();
    await until(() => host.locks.unlocked().size === 0);
    await expect(exported(world)).rejects.toMatchObject({ code: 'SESSION_ENCRYPTED' });
  });

  it('is opened with a second copy of its wrapped key if the copy in the first line was changed', async () => {
    await using world = await sealed();
    const path = join(world.home, 'session-data', 'diary.jsonl');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const changed = lines.map((line, at) =>
      at > 0 ? line : line.replace(/"key":"(.)/, (_, sign) => `"key":"${sign === 'A' ? 'B' : 'A'}`),
    );
    expect(changed[0]).not.toBe(lines[0]);
    const buffer = new LineBuffer();
    let prev = '0'.repeat(16);
    for (const [seq, line] of changed.entries()) {
      prev = buffer.addRenumbered(bytesBetweenSeqAndPrev(Buffer.from(line))!, seq, prev);
    }
    writeFileSync(path, buffer.bytes);
    expect(await world.host.locks.unlock('diary', PASSPHRASE)).toBe('diary');
    expect(await exported(world)).toContain('acorn');
  });

  it('is not opened by a passphrase if it has a key file', async () => {
    await using world = await sealed();
    const keyFile = join(world.project, 'key');
    writeFileSync(keyFile, 'a key file that is for the tests', { mode: 0o600 });
    const env = { ...world.env, OLLM_RETENTION__KEY_FILE: keyFile };
    await makeSealedSession({ env, cwd: world.project, id: 'by-file', passphrase: '', lines: [said('hello')] });
    await expect(world.host.locks.unlock('by-file', PASSPHRASE)).rejects.toMatchObject({
      code: 'SESSION_ENCRYPTED',
      data: { by: 'key-file' },
    });
    await expect(world.host.locks.unlock('nowhere', PASSPHRASE)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
