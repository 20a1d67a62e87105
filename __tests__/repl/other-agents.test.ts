// `ollm repl --agent`: an agent of another maker answers, in the place of a model. It is a program that writes no
// session file, so that the journal has only the events of ollm itself.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesMarked } from '../../lib/platform/processes/process-tree.ts';
import { createRunHome, type RunHome, type Stored } from '../runs/run-home.ts';
import { OLLM, parseLines } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import { openTerminal, type ProcessTerminal } from '../support/terminal.ts';

let runs: RunHome;
beforeEach(() => {
  runs = createRunHome();
});
afterEach(() => {
  for (const { data } of eventsOf('run.started')) expect(processesMarked(String(data.mark))).toEqual([]);
  runs[Symbol.dispose]();
});

describe('ollm repl --agent', () => {
  it('shows the answers and the questions of the agent, and offers its models', async () => {
    await using terminal = repl('asks-and-has-choices');
    await terminal.waitFor('Qwen Code 7 answers, as qwen:s-1.');
    await terminal.waitFor('Qwen Code m-1');
    terminal.type('Do it\r');
    await terminal.waitFor('echo a');
    await terminal.waitFor('[y]es');
    expect(terminal.lines().join('\n')).not.toContain('[e]dit');
    await answer(terminal, 'y');
    await terminal.waitFor('"optionId":"yes"');
    await typed(terminal, '/agent', 'process ');
    await typed(terminal, '/help', '/help all lists everything');
    await typed(terminal, '/qiut', 'Did you mean /quit?');
    await typed(terminal, '/compact', 'There is no command /compact where Qwen Code answers.');
    await typed(terminal, '!ls', 'would not see what a command prints');
    await typed(terminal, '/model m-2', 'From now on Qwen Code answers with m-2.');
    await typed(terminal, '/model none', 'no model none');
    await typed(terminal, '/thinking high', 'From now on Qwen Code thinks high.');
    await typed(terminal, '/thinking most', 'It has low, high.');
    await typed(terminal, '/title Plans for it', 'Plans for it');
    terminal.type('/quit\r');
    await terminal.waitFor('Continue with: ollm resume qwen:s-1 --agent');
    expect((await terminal.exit).code).toBe(0);
    expect(eventsOf('run.changed').map(({ data }) => data.model ?? data.thinking)).toEqual(['m-2', 'high']);
    expect(eventsOf('tool.decided')).toMatchObject([{ data: { decision: 'allow', by: 'user' } }]);
    expect(
      runs
        .events()
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(['run.ended', 'session.closed']);
    const { stdout } = await runs.home.run(['list', '--all'], { cwd: runs.project });
    expect(stdout).toContain('Plans for it');
  });

  it('keeps a queued message when Ctrl+C stops a turn, and sends it once the user continues', async () => {
    await using terminal = repl('only-goes-on-and-waits');
    await terminal.waitFor('qwen:s-1');
    terminal.type('Go\r');
    await terminal.waitFor('going on');
    terminal.type('Then this\r');
    // The row of a message that waits is drawn below the answer, and gone after it.
    await shows(terminal, 'Then this');
    terminal.type('\x03');
    await shows(terminal, 'Cancelled.');
    await shows(terminal, '1 message not sent yet');
    expect(eventsOf('queue.changed').at(-1)).toMatchObject({
      data: { added: [{ text: 'Then this', awaits: 'user' }] },
    });
    // A key that is typed before the prompt is there belongs to no line.
    await pressKey(terminal, '\r', () => linesWith(terminal, 'going on') === 2);
    await pressKey(terminal, '\x03', () => linesWith(terminal, 'Cancelled.') === 2);
    await leave(terminal);
    expect(eventsOf('run.status').map(({ data }) => data.to)).toEqual(['running', 'stopped', 'running', 'stopped']);
  });

  it('restarts an agent that died for the next message', async () => {
    await using terminal = repl('dies-in-the-middle');
    await terminal.waitFor('qwen:s-1');
    const isReady = (lines: readonly string[]) => lines.at(-1) === '>';
    for (const [times, prompt] of [
      [1, 'Do it'],
      [2, 'Again'],
    ] as const) {
      await terminal.waitUntil(isReady, 'the prompt');
      terminal.type(`${prompt}\r`);
      await terminal.waitUntil(
        () => linesWith(terminal, 'It ended with exit code 9') === times,
        'the end of the agent',
      );
    }
    await terminal.waitUntil(isReady, 'the prompt');
    expect(terminal.lines().join('\n')).toContain('Qwen Code had ended, and was started again.');
    expect(terminal.lines().join('\n')).not.toContain('/retry');
    await leave(terminal);
    expect(eventsOf('run.started').map(({ data }) => data.resumed)).toEqual([false, true]);
    expect(eventsOf('run.ended').map(({ data }) => [data.reason, data.exitCode])).toEqual([
      ['failed', 9],
      ['failed', 9],
    ]);
  });

  it('follows its agent into a session that the agent begins, with the waiting messages', async () => {
    await using terminal = repl('writes');
    await terminal.waitFor('answers, as qwen:');
    await typed(terminal, 'first', 'You said: first');
    const [before] = runs.journals();
    terminal.type('/agent /clear\r');
    terminal.type('second\r');
    terminal.type('third\r');
    await terminal.waitFor('goes on in another session: qwen:');
    await terminal.waitFor('You said: third');
    await leave(terminal);
    const [left, next] = [...runs.journals()].sort((one) => (one === before ? -1 : 1)).map(storedIn);
    expect(left).toContainEqual(expect.objectContaining({ type: 'run.linked' }));
    expect([left!.flatMap(textOf), next!.flatMap(textOf)]).toEqual([['first'], ['second', 'third']]);
    expect([left!, next!].map((events) => events.at(-1)!.type)).toEqual(['session.closed', 'session.closed']);
  });

  it('sends the reason of a refusal as the next message', async () => {
    await using terminal = repl('asks');
    await terminal.waitFor('qwen:s-1');
    terminal.type('Do it\r');
    await terminal.waitFor('[n]o');
    await answer(terminal, 'n');
    await terminal.waitFor('What should the model do instead?');
    terminal.type('Print b\r');
    await terminal.waitFor('Print b');
    await terminal.waitFor('[n]o');
    const prompts = eventsOf('queue.changed').flatMap(({ data }) => (data.added ?? []) as readonly { text: string }[]);
    expect(prompts.map(({ text }) => text)).toEqual(['Do it', 'Print b']);
    terminal.type('\x03');
    await shows(terminal, 'Cancelled.');
    await leave(terminal);
  });

  it('ends the turn of an agent that is silent for longer than the settings allow', async () => {
    runs.trust([runs.project], { runs: { silentSeconds: 1 } });
    const { stderr, stdout } = await runs.home.run(['repl', '--agent', 'qwen'], {
      ...{ cwd: runs.project, input: 'Go\n', env: { PATH: runs.agentThat('only-goes-on-and-waits') } },
    });
    expect(stdout).toContain('going on');
    expect(stderr).toContain('has said, written and asked nothing for 1.0 s');
    expect(eventsOf('run.status').at(-1)).toMatchObject({ data: { to: 'failed', error: { code: 'AGENT_SILENT' } } });
  });

  it('stores no session without a message', async () => {
    const PATH = runs.agentThat('none');
    const { exitCode } = await runs.home.run(['repl', '--agent', 'qwen'], {
      cwd: runs.project,
      input: '',
      env: { PATH },
    });
    expect({ exitCode, journals: runs.journals() }).toEqual({ exitCode: 0, journals: [] });
  });

  it('starts the program, the model and the mode of the settings', async () => {
    const program = join(runs.home.path, 'bin', 'other');
    runs.agentThat('asks-and-has-choices');
    writeFileSync(program, `#!/bin/sh\nexec ${join(runs.home.path, 'bin', 'qwen')}\n`, { mode: 0o755 });
    const set = (mode: string) => runs.trust([runs.project], { runs: { qwen: { program, model: 'm-2', mode } } });
    const run = (...args: readonly string[]) =>
      runs.home.run(['repl', '--agent', 'qwen', ...args], { cwd: runs.project, input: 'Do it\n' });
    set('plan');
    expect((await run()).stdout).toContain('"optionId":"no"');
    expect(eventsOf('run.started')).toMatchObject([
      { data: { model: 'm-2', mode: 'plan', program: { path: program } } },
    ]);
  });

  it('names the agent that a session belongs to, and the command that installs one', async () => {
    const { stderr } = await runs.home.run(['resume', 'pi:5f3c', '--agent'], { cwd: runs.project });
    expect(stderr).toContain('ollm cannot run pi');
    const other = await runs.home.run(['resume', 'qwen:5f3c', '--agent', 'claude'], { cwd: runs.project });
    expect(other.stderr).toContain('qwen:5f3c is a session of qwen, and claude cannot go on with it.');
    const env = { PATH: runs.agentThat('none') };
    const { stderr: listed } = await runs.home.run(['agents'], { cwd: runs.project, env });
    expect(listed).toContain(`"ollm repl --agent qwen" starts ${join(runs.home.path, 'bin', 'qwen')}`);
    expect(listed.match(/^Not installed: .*$/gm)).toEqual([expect.stringContaining('Gemini CLI')]);
    const { stdout: json } = await runs.home.run(['agents', '--json'], { cwd: runs.project, env });
    expect(json).toContain('@google/gemini-cli');
  });
});

function repl(fault: string): ProcessTerminal {
  const { home, project } = runs;
  const env = {
    PATH: fault === 'writes' ? runs.agentThatWrites() : runs.agentThat(fault),
    HOME: home.path,
    OLLM_HOME: home.path,
  };
  return openTerminal(process.execPath, [OLLM, 'repl', '--agent', 'qwen'], {
    cwd: project,
    env,
    columns: 100,
    rows: 40,
  });
}

function shows(terminal: ProcessTerminal, text: string): Promise<void> {
  return terminal.waitUntil((lines) => lines.some((line) => line.includes(text)), text);
}

async function leave(terminal: ProcessTerminal): Promise<void> {
  await pressKey(terminal, '\x04', () => linesWith(terminal, 'Continue with') === 1);
  await terminal.exit;
}

async function typed(terminal: ProcessTerminal, line: string, answered: string): Promise<void> {
  terminal.type(`${line}\r`);
  await terminal.waitFor(answered);
}

/** A key counts only a moment after the question can be seen. */
function answer(terminal: ProcessTerminal, key: 'y' | 'n'): Promise<void> {
  const sign = key === 'y' ? '→ yes' : '→ no';
  return pressKey(terminal, key, () => terminal.lines().some((line) => line.includes(sign)));
}

function eventsOf(type: string): readonly Stored[] {
  return runs.events().filter((event) => event.type === type);
}

function storedIn(journal: string): readonly Stored[] {
  return parseLines(readFileSync(join(runs.home.sessions, journal), 'utf8')) as unknown as readonly Stored[];
}

/** The text of a message of the user. */
function textOf({ type, data }: Stored): readonly string[] {
  const parts = data.role === 'user' ? (data.parts as readonly { readonly text?: string }[]) : [];
  return type === 'message.added' ? parts.flatMap(({ text }) => text ?? []) : [];
}
