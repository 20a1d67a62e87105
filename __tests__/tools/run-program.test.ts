import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemIds } from '../../lib/platform/index.ts';
import type { ProgramCall } from '../../lib/tools/program.ts';
import { createRunProgram } from '../../lib/tools/run-program.ts';

let place = '';
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-run-')));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function run(argv: readonly [string, ...string[]], rest: Partial<ProgramCall> = {}, signal?: AbortSignal) {
  const program = createRunProgram({
    env: { PATH: '/usr/bin:/bin', HOME: place },
    scope: { writable: [place], protected: [], hidden: [], network: false },
    limits: { timeoutMs: 10_000, maxOutputBytes: 1_000_000 },
    clock: systemClock,
    ids: systemIds,
  });
  return program({ argv, cwd: place, ...rest }, { signal: signal ?? new AbortController().signal });
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('a program prints, and its code is told', async () => {
  const outcome = await run(['sh', '-c', 'echo out; echo err >&2; exit 3']);
  expect(outcome).toMatchObject({ status: 'exited', exitCode: 3, killedBy: undefined, omittedBytes: 0 });
  expect(text(outcome.output).split('\n').sort()).toEqual(['', 'err', 'out']);
});
