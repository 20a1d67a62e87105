// Sessions whose source has no times: whatever shows them leaves a time out, before and after they are imported. No
// default is in for it, such as the year 1970 or the time of the import, and no count that was not reported.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFiles, CLAUDE_ID, CLAUDE_OTHER_ID } from '../support/agent-homes.ts';
import { createHome } from '../support/cli.ts';

const TIMES = new Set(['timestamp', 'createdAt', 'updatedAt', 'time', 'usage']);

/** The records without their times and their reports of usage. */
function withoutTimes(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `${JSON.stringify(JSON.parse(line, (key, value) => (TIMES.has(key) ? undefined : value)))}\n`)
    .join('');
}

it('no command shows a date or a count of a session whose source has no times, also after an import', async () => {
  using home = createHome();
  for (const [path, text] of Object.entries(agentFiles())) {
    if (!path.startsWith('.claude')) continue;
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), withoutTimes(text));
  }
  const printed = async (args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await home.here(args);
    expect([args, exitCode, stderr]).toEqual([args, 0, expect.not.stringContaining('1970')]);
    return stdout;
  };
  const formsOf = async (id: string) => {
    const audit = await home.here(['audit', id]);
    return [
      audit.stdout,
      await printed(['show', id]),
      await printed(['show', id, '--json']),
      await printed(['replay', id]),
      await printed(['tail', id]),
      ...(await Promise.all(['md', 'html', 'json'].map((format) => printed(['export', id, '--format', format])))),
    ];
  };
  const addresses = [CLAUDE_ID, CLAUDE_OTHER_ID].map((id) => `claude:${id}`);
  const before = (await Promise.all(addresses.map(formsOf))).flat();
  for (const address of addresses) await printed(['import', address]);
  const ids = addresses.map((address) => address.replace(':', '-'));
  const after = (await Promise.all(ids.map(formsOf))).flat();
  const lists = [await printed(['list', '--all', '--json']), await printed(['list', '--json'])];
  lists.push(await printed(['search', 'mast', '--json']), await printed(['show', ids[0]!]));
  for (const text of [...before, ...after, ...lists]) {
    expect(text).not.toMatch(/1970|Invalid Date|\bNaN\b/);
    expect(text).not.toMatch(/^spent .*\b0 in/m);
  }
  // The transcripts have no time at all: not that of the import either.
  for (const text of [...before, ...after].filter((each) => each.startsWith('# '))) {
    expect(text).not.toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  }
});
