// The bottom of a real terminal while a turn runs, at three widths, without colours, and on a terminal that has no
// bottom line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textWidth } from '../../lib/display/width.ts';
import { chunk } from '../providers/compatible/dialect.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type Answer, startFaultServer } from '../support/fault-server.ts';
import type { Terminal } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;
const CTRL_C = '\x03';

const written = (args: string, name?: string) =>
  chunk({ tool_calls: [{ index: 0, ...(name && { id: 'a' }), function: { ...(name && { name }), arguments: args } }] });

/** Below the row that was waited for last, or in its place. */
const isCancelled = (lines: readonly string[]) => lines.some((line) => line.startsWith('Cancelled.'));

async function startModel(answer: Answer) {
  return startFaultServer({ '/v1/chat/completions': { type: 'text/event-stream', ...answer } });
}

function open(
  home: Home,
  url: string,
  { columns = 80, env = {} }: { readonly columns?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Terminal {
  const settings = { providers: { compatible: { box: { baseUrl: `${url}/v1`, model: 'm', contextWindow: 8192 } } } };
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(settings));
  return openTerminalHere(['repl', '--provider', 'box', '--name', 'talk'], {
    columns,
    rows: 15,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, ...env },
  });
}

describe('the bottom of the screen while a turn runs', () => {
  it.each([
    [40, /^\S \d+ s · writing src\/big\.txt, 3\.1 kB$/],
    [80, /^\S \d+ s · writing src\/big\.txt, 3\.1 kB · Ctrl\+C cancels$/],
    [120, /^\S \d+ s · writing src\/big\.txt, 3\.1 kB · Ctrl\+C cancels$/],
  ])(
    'shows at %i columns the file that a call writes, and the size of its arguments until now',
    async (columns, wanted) => {
      using home = createHome();
      const steps = [written('{"path":"src/big', 'file_write'), written(`.txt","content":"${'x'.repeat(3040)}`)];
      await using model = await startModel({ steps: [...steps, { fault: 'stall' }] });
      await using terminal = open(home, model.url, { columns });
      await terminal.waitFor(PROMPT);
      terminal.type('write it\r');
      await terminal.waitFor(wanted);
      for (const line of terminal.lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      terminal.type(CTRL_C);
      await terminal.waitUntil(isCancelled, 'the end');
      expect(terminal.lines().join()).not.toContain('big.txt');
    },
  );

  it('continues to count time while the answer is stalled', async () => {
    using home = createHome();
    await using model = await startModel({ steps: [chunk({ content: 'Some words.' }), { fault: 'stall' }] });
    await using terminal = open(home, model.url, { env: { NO_COLOR: '1' } });
    await terminal.waitFor(PROMPT);
    terminal.type('talk\r');
    const secondsOf = (lines: readonly string[]) => {
      const seconds = /^\S (\d+) s · writing, 11 bytes · Ctrl\+C cancels$/.exec(lines.at(-1) ?? '')?.[1];
      return seconds === undefined ? undefined : Number(seconds);
    };
    await terminal.waitUntil((lines) => secondsOf(lines) !== undefined, 'the row that counts');
    const first = secondsOf(terminal.lines())!;
    await terminal.waitUntil((lines) => (secondsOf(lines) ?? 0) > first, 'a later second');
    expect(terminal.raw()).not.toMatch(/\x1b\[[0-9;]*m/);
    terminal.type(CTRL_C);
    await terminal.waitUntil(isCancelled, 'the end');
  });

  it('is one row while a request is repeated, and leaves one sentence about the failure', async () => {
    using home = createHome();
    await using model = await startModel({ status: 500, type: 'application/json', steps: ['{"error":"down"}'] });
    await using terminal = open(home, model.url);
    await terminal.waitFor(PROMPT);
    terminal.type('talk\r');
    await terminal.waitFor(/^\S \d+ s · Attempt 2 of 4 in 1 s: box answered 500/);
    await terminal.waitUntil((lines) => lines.some((line) => line.includes('/retry asks again')), 'the end');
    const shown = terminal.lines().join('\n');
    expect(shown.match(/answered 500/g)).toHaveLength(1);
    expect(shown).not.toContain('Attempt');
  });

  it('is empty on a dumb terminal', async () => {
    using home = createHome();
    await using model = await startModel({ steps: [chunk({ content: 'Some words.\n\n' }), { fault: 'stall' }] });
    await using terminal = open(home, model.url, { env: { TERM: 'dumb' } });
    await terminal.waitFor(PROMPT);
    terminal.type('talk\r');
    await terminal.waitFor('Some words.');
    terminal.type(CTRL_C);
    await terminal.waitUntil(isCancelled, 'the end');
    expect(terminal.raw()).not.toMatch(/writing|waiting/);
  });
});
