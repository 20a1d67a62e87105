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

test('a missing bubblewrap is reported with the package to install', async () => {
  expect(await reasonIn('linux')).toMatch(/^bubblewrap is not installed\. Install it: "apt install bubblewrap"/);
});

test('an installed bubblewrap that may not work is reported with its own words, and the likely cause', async () => {
  putBubblewrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1');
  expect(await reasonIn('linux')).toMatch(
    /^bubblewrap does not work here: bwrap: No permissions to create new namespace\. Often user namespaces are forbidden/,
  );
});

test('a bubblewrap that dies without a word is not trusted either', async () => {
  putBubblewrap('kill -9 $$');
  expect(await reasonIn('linux')).toMatch(/it ended with SIGKILL/);
});

test('a bubblewrap that cannot be started is reported', async () => {
  writeFileSync(join(folder, 'bwrap'), '#!/no/such/interpreter\n');
  chmodSync(join(folder, 'bwrap'), 0o755);
  expect(await reasonIn('linux')).toMatch(/bwrap cannot be started: .*interpreter/);
});

test('a system without a sandbox is reported', async () => {
  expect(await reasonIn('win32')).toBe('There is no sandbox for win32: only for Linux and macOS.');
});
