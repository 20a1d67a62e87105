import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifySessions } from '../../../../lib/app/sessions/read/verify-sessions.ts';
import { openFileStore } from '../../../../lib/file-store/file-store.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../../../lib/platform/index.ts';
import type { AllowedSigner } from '../../../../lib/seals/allowed-signers.ts';
import { parseAllowedSigners } from '../../../../lib/seals/allowed-signers.ts';
import { readSeals } from '../../../../lib/seals/seals-file.ts';
import { fingerprintOf, publicKeyText } from '../../../../lib/seals/ssh-key.ts';
import { checkSignature } from '../../../../lib/seals/ssh-signature.ts';
import { SEAL_NAMESPACE } from '../../../../lib/seals/statement.ts';

const directory = mkdtempSync(join(tmpdir(), 'ollm-signed-'));
cpSync(join(import.meta.dirname, '../../../../fixtures/journals'), directory, { recursive: true });
afterAll(() => rmSync(directory, { recursive: true }));
const allowed = parseAllowedSigners(readFileSync(join(directory, 'allowed_signers'), 'utf8'), SEAL_NAMESPACE);
const ports = {
  fileSystem: nodeFileSystem,
  clock: systemClock,
  ids: systemIds,
  process: thisProcess('test'),
  log: silentLog,
};

async function findingsOf(id: string, signers?: readonly AllowedSigner[]) {
  const store = openFileStore(ports, { directory });
  const sealsOf = (session: string) => readSeals(nodeFileSystem, join(directory, `${session}.seals`));
  const options = { maxFindings: 10, signed: { sealsOf, signers } };
  for await (const { findings } of verifySessions({ store, log: silentLog }, [id], options)) return findings;
  return undefined;
}

describe('a check of the seals of', () => {
  it('the documented journal finds no fault', async () => {
    expect(await findingsOf('whole')).toEqual([]);
    expect(await findingsOf('whole', allowed)).toEqual([]);
  });

  it('a journal that only strangers have sealed reports that', async () => {
    expect(await findingsOf('whole', [{ ...allowed[0]!, fingerprint: 'SHA256:other' }])).toEqual([
      { type: 'seal', reason: 'The journal has no seal of an allowed signer.' },
    ]);
  });

  it('a journal without seals reports that', async () => {
    expect(await findingsOf('j-unknown-member')).toContainEqual({ type: 'seal', reason: 'The journal has no seal.' });
  });
});

it('the printed key of a seal equals its .pub file', () => {
  const [line] = readSeals(nodeFileSystem, join(directory, 'whole.seals'));
  const check =
    line?.kind === 'seal'
      ? checkSignature(line.signature, { message: line.statement, namespace: SEAL_NAMESPACE })
      : undefined;
  if (check?.kind !== 'holds') throw new Error('The seal of the documented journal does not hold');
  expect(readFileSync(join(directory, 'allowed_signers'), 'utf8')).toBe(
    `ann@example.org ${publicKeyText(check.key)}\n`,
  );
  expect(allowed[0]?.fingerprint).toBe(fingerprintOf(check.key));
});
