import { tmpdir } from 'node:os';
import { openTerminal, runOnTerminal } from '../../bench/terminal-program.ts';

const OPTIONS = { cwd: tmpdir(), env: process.env };
const SHORT_MS = 1_000;
const FOR_EVER = 'console.log("begun"); setInterval(() => {}, 1000)';

describe('a program on a terminal that the bench waits for', () => {
  it('is told from one that ended before, with what that wrote last', async () => {
    const terminal = await openTerminal(['-e', 'console.log("no such file"); process.exitCode = 1'], OPTIONS);
    const waited = expect(terminal.shows('ready')).rejects;
    await waited.toThrow(/The program had ended before it showed "ready".*no such file/);
    await expect(terminal.shows('ready')).rejects.toThrow(/no such file/);
  });

  it('is not waited for without an end', async () => {
    const terminal = await openTerminal(['-e', FOR_EVER], { ...OPTIONS, limitMs: SHORT_MS });
    await terminal.shows('begun');
    await expect(terminal.shows('ready')).rejects.toThrow(/1 s were over before it showed "ready".*begun/);
    await terminal.end();
  });

  it('is run to its end, and failed where it fails or has none', async () => {
    expect(await runOnTerminal(['-e', '0'], OPTIONS)).toBeGreaterThan(0);
    await expect(runOnTerminal(['-e', 'console.log("oh"); process.exitCode = 3'], OPTIONS)).rejects.toThrow(
      /with 3.*oh/,
    );
    await expect(runOnTerminal(['-e', FOR_EVER], { ...OPTIONS, limitMs: SHORT_MS })).rejects.toThrow(/not end in 1 s/);
  });
});
