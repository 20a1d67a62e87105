// Claude Code as .ci/install-agents installs it, without its adapter: run by `ollm ask --agent` over the lines of its
// own command, offline, with a model server of the test.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importedId } from '../../../lib/agents/address.ts';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { claude } from '../../agents/programs/claude.ts';
import { commandOf } from '../../agents/programs/program.ts';
import { OLLM, parseLines } from '../../support/cli.ts';
import { goOffline } from '../../support/offline.ts';

const PROMPT = 'Make the file now.';
const ANSWER = 'It is made.';
const ports = Array.from({ length: 40 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
const slow = { prompt: 'List the ports below 2000.', answer: ports, isSlow: true };

const command = commandOf(claude);
const whereInstalled = command === undefined ? it.skip : it;
whereInstalled(
  'Claude Code asks, obeys, continues, is stopped and leaves no process, without its adapter',
  async () => {
    const call = claude.call('echo run > made.txt && cat made.txt');
    await using offline = await goOffline([{ prompt: PROMPT, call, answer: ANSWER }, slow], claude.files);
    const { home, url } = offline;
    const cwd = join(home, 'project');
    for (const folder of ['project', '.ollm']) mkdirSync(join(home, folder));
    const settings = {
      trustedDirectories: [cwd],
      server: { allowUnattended: true },
      services: { environment: { allowList: Object.keys(claude.env(url)) } },
    };
    writeFileSync(join(home, '.ollm', 'config.yaml'), JSON.stringify(settings));
    const env = {
      ...claude.env(url),
      PATH: [dirname(command!), dirname(process.execPath), process.env.PATH].join(':'),
    };
    const ask = (prompt: string, ...more: readonly string[]) =>
      offline.run([process.execPath, OLLM, 'ask', '--agent', 'claude', ...more, prompt], {
        ...{ cwd, env },
        isInterrupted: prompt === slow.prompt,
      });
    const events = () => {
      const directory = join(home, '.ollm', 'session-data');
      const name = readdirSync(directory).find((file) => file.endsWith('.jsonl'));
      return parseLines(readFileSync(join(directory, name!), 'utf8')) as unknown as readonly Stored[];
    };
    const printed = await ask(PROMPT);
    expect(printed).toContain('Ask at a terminal');
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    const address = /claude:\S+/.exec(printed)![0];
    expect(await ask(PROMPT, '--resume', address, '--permissions', 'allow')).toContain(ANSWER);
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('run\n');
    expect(await ask(slow.prompt, '--resume', address)).toContain('Port 1000.');
    const of = (type: string) => events().filter((event) => event.type === type && event.data.origin === undefined);
    expect(of('run.started').map(({ data }) => [data.family, data.resumed])).toEqual([
      ['cli', false],
      ['cli', true],
      ['cli', true],
    ]);
    expect(of('tool.decided').map(({ data }) => data.decision)).toEqual(['deny', 'allow']);
    expect(of('run.status').at(-1)).toMatchObject({ data: { to: 'stopped' } });
    const finished = events().filter(({ type }) => type === 'tool.finished');
    expect(finished.map(({ data }) => data.callId)).toEqual(of('run.asked').map(({ data }) => data.callId));
    for (const { data } of of('run.started')) expect(processesMarked(String(data.mark))).toEqual([]);
    expect(
      await offline.run([process.execPath, OLLM, 'audit', importedId('claude', address.slice('claude:'.length))], {
        cwd,
        env,
      }),
    ).not.toContain('!');
  },
);

interface Stored {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
