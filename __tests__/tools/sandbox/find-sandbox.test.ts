import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookForSandbox } from '../../../lib/tools/sandbox/find-sandbox.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-find-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

const reasonIn = async (platform: NodeJS.Platform): Promise<string> => {
  const found = await lookForSandbox({ platform, path: folder });
  return found.available ? 'available' : found.reason;
};

function putBubblewrap(script: string): void {
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bwrap'), 0o755);
}

test('where bubblewrap is missing, what to install is said', async () => {
  expect(await reasonIn('linux')).toMatch(/^bubblewrap is not installed\. Install it: "apt install bubblewrap"/);
});

test('where it is installed and may not work, its own words are told, and what may be the matter', async () => {
  putBubblewrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1');
  expect(await reasonIn('linux')).toMatch(
    /^bubblewrap does not work here: bwrap: No permissions to create new namespace\. Often user namespaces are forbidden/,
  );
});

test('one that dies without a word is not trusted either', async () => {
  putBubblewrap('kill -9 $$');
  expect(await reasonIn('linux')).toMatch(/it ended with SIGKILL/);
});

test('one that cannot be started is told so', async () => {
  writeFileSync(join(folder, 'bwrap'), '#!/no/such/interpreter\n');
  chmodSync(join(folder, 'bwrap'), 0o755);
  expect(await reasonIn('linux')).toMatch(/bwrap cannot be started: .*interpreter/);
});

test('elsewhere it is said that there is none', async () => {
  expect(await reasonIn('win32')).toBe('There is no sandbox for win32: only for Linux and macOS.');
});
