import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { examine } from '../../../lib/app/doctor/doctor.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ollm-doctor-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function keyFileCheck(keyFile?: string) {
  const env = { HOME: home, OLLM_HOME: home, OLLM_PROVIDER: 'offline' };
  const app = await createApp({
    env: keyFile === undefined ? env : { ...env, OLLM_RETENTION__KEY_FILE: keyFile },
    cwd: home,
    command: 'test',
  });
  for await (const check of examine(app, { nodeVersion: process.versions.node })) {
    if (check.name === 'key file') return check;
    // The next ones ask other programs.
    if (check.name === 'provider') return undefined;
  }
  return undefined;
}

describe('the check of the key file', () => {
  it('runs only if one is configured', async () => {
    expect(await keyFileCheck()).toBeUndefined();
  });

  it('accepts a usable one', async () => {
    const key = join(home, 'key');
    writeFileSync(key, 'a key file that is for the tests', { mode: 0o600 });
    expect(await keyFileCheck(key)).toMatchObject({ status: 'ok', text: key });
    writeFileSync(key, Buffer.alloc(32), { mode: 0o600 });
    expect(await keyFileCheck(key)).toMatchObject({ status: 'fail', text: expect.stringContaining('one byte again') });
  });

  it('fails if the next encrypted session would fail', async () => {
    const key = join(home, 'key');
    expect(await keyFileCheck(key)).toMatchObject({ status: 'fail', text: `The key file is not there: ${key}` });
    writeFileSync(key, 'short', { mode: 0o600 });
    expect(await keyFileCheck(key)).toMatchObject({ status: 'fail', text: expect.stringContaining('has 5 bytes') });
    writeFileSync(key, 'k'.repeat(64));
    chmodSync(key, 0o644);
    expect(await keyFileCheck(key)).toMatchObject({ status: 'fail', remedy: expect.stringContaining('chmod 600') });
  });
});
