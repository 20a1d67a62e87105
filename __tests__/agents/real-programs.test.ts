// The programs themselves, as .ci/install-agents installs them: each has a conversation with a model server of the
// test, with no network, and ollm finds and reads its files.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatAddress, importedId } from '../../lib/agents/address.ts';
import type { Agent, ForeignEvent, Source } from '../../lib/agents/agent.ts';
import { discover } from '../../lib/agents/discover.ts';
import { readHead } from '../../lib/agents/head.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { isAgentName, loadAgent } from '../../lib/agents/registry.ts';
import type { Part } from '../../lib/messages/index.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { replay } from '../../lib/projections/replay.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { listingOf } from '../support/agent-homes.ts';
import { createHome, type Home, parseLines, type RunResult } from '../support/cli.ts';
import { goOffline, type Offline } from '../support/offline.ts';
import { type ScriptedTurn, USAGE } from '../support/scripted-turn.ts';
import { claude } from './programs/claude.ts';
import { codex } from './programs/codex.ts';
import { copilot } from './programs/copilot.ts';
import { gemini } from './programs/gemini.ts';
import { kimi } from './programs/kimi.ts';
import { opencode } from './programs/opencode.ts';
import { pi } from './programs/pi.ts';
import { commandOf, type OwnWords } from './programs/program.ts';
import { qwen } from './programs/qwen.ts';

const NOTE = 'The port is 4711.';
const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

const asked: ScriptedTurn = { prompt: 'Which port does the server take?', answer: 'The server takes port 4711.' };
const interrupted: ScriptedTurn = { prompt: 'List the ports below 2000.', answer: ports(), isSlow: true };
const resumed: ScriptedTurn = { prompt: 'And which one did it take before?', answer: 'It took port 4710.' };

describe.each([gemini, codex, claude, pi, qwen, copilot, opencode, kimi])('$agent itself', (program) => {
  const command = commandOf(program);
  const { agent: name } = program;
  if (command === undefined || !isAgentName(name)) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }

  // A program that looks at its terminal too late misses what a command printed that had ended by then.
  const call = program.call('cat notes.md && sleep 0.5');
  const turns = program.losesSessions ? [asked, interrupted] : [asked, interrupted, resumed];
  const kept = ({ prompt }: ScriptedTurn) => program.kept?.(prompt) ?? prompt;
  let offline: Offline;
  let agent: Agent;
  let cwd: string;
  let id: string | undefined;
  let before: readonly string[];
  let home: Home;
  let ownWords: OwnWords | undefined;

  const converse = async (): Promise<void> => {
    offline = await goOffline([{ ...asked, call }, interrupted, resumed], program.files);
    cwd = join(offline.home, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'notes.md'), `${NOTE}\n`);
    id = undefined;
    for (const turn of turns) {
      const output = await offline.run([command, ...program.turn(turn.prompt, id)], {
        cwd,
        env: program.env(offline.url),
        isInterrupted: turn.isSlow,
      });
      id ??= memberIn(output, program.idMember);
    }
    if (program.oracle !== undefined) {
      const { asks, says } = program.oracle;
      const options = { cwd, env: program.env(offline.url) };
      const output = asks === undefined ? '' : await offline.run([command, ...asks(id!)], options);
      ownWords = says({ output, home: offline.home, id: id! });
    }
    offline.endLeftovers();
  };
  /** Whether a file below its home has the text. */
  const hasStored = (text: string) => spawnSync('grep', ['-rqF', text, offline.home]).status === 0;

  beforeAll(async () => {
    agent = await loadAgent(name);
    await converse();
    // An interruption while it writes its session leaves Gemini CLI only with the first message, at times.
    for (let again = 0; again < 2 && program.losesSessions && !hasStored(asked.answer); again += 1) {
      console.log(`${name} lost its session and is asked again`);
      await offline[Symbol.asyncDispose]();
      await converse();
    }
    before = everythingBelow(offline.home);
    home = createHome();
  });
  afterAll(async () => {
    await offline?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  it('has written one session, which is found by the id that it printed', () => {
    expect(source().id.startsWith(id!.slice(0, program.idCharacters))).toBe(true);
  });

  it('has written the fields of a list: project, model and the first prompt', () => {
    const { lastActivity, ...head } = readHead(agent, source(), files);
    expect(head).toMatchObject({ cwd, model: program.model, firstPrompt: kept(asked) });
    expect(Number.isNaN(Date.parse(lastActivity ?? ''))).toBe(false);
  });

  it('has written a complete conversation', async () => {
    const events = await eventsOf();
    const partial = linesOf(events).filter((line) => interrupted.answer.startsWith(line.slice('assistant: '.length)));
    expect(partial.length).toBeLessThanOrEqual(1);
    expect(linesOf(events).filter((line) => !partial.includes(line))).toEqual([
      `user: ${kept(asked)}`,
      `call: ${JSON.stringify(call)}`,
      `result: ok, ${NOTE}`,
      `assistant: ${asked.answer}`,
      `user: ${kept(interrupted)}`,
      ...(turns.includes(resumed) ? [`user: ${kept(resumed)}`, `assistant: ${resumed.answer}`] : []),
    ]);
  });

  const itIfAsked = program.oracle === undefined ? it.skip : it;
  itIfAsked('reports the same of its session (skipped where it says nothing offline)', async () => {
    const { title } = readHead(agent, source(), files);
    const texts = await messagesOf();
    const { id: own, title: ownTitle = title, texts: ownTexts = texts } = ownWords!;
    expect({ id: own, title: ownTitle, texts: ownTexts }).toEqual({ id, title, texts });
    expect(texts.length).toBeGreaterThan(2);
  });

  it('has written turns with their ends and their usage', async () => {
    const events = await eventsOf();
    expect(dataOf(events, 'turn.started').map(({ input }) => input)).toEqual(turns.map(kept));
    const [first, second] = dataOf(events, 'turn.ended').map(({ status }) => status);
    expect(first).toBe('completed');
    // If nothing comes after it, it may be open.
    if (turns.includes(resumed) || second !== undefined) expect(['cancelled', 'interrupted']).toContain(second);
    const usage = new Map(dataOf(events, 'usage.reported').map((data) => [data.message, data]));
    for (const one of usage.values()) expect(one).toMatchObject(USAGE);
    // The call and each answer: one that was interrupted may have none.
    expect(usage.size).toBeGreaterThanOrEqual(turns.length);
  });

  it('has written records that are each understood, or left out for a reason', async () => {
    const reader = openForeign(agent, source(), files);
    const { counts } = await replay(reader, { summary: summaryFold });
    expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
    const { records, damaged, notUnderstood } = await reader.fidelity();
    reader.close();
    expect({ damaged, notUnderstood }).toEqual({ damaged: [], notUnderstood: {} });
    expect(records).toBeGreaterThan(0);
  });

  it.each([
    ['its address', () => address()],
    ['the id that its program printed', () => `${name}:${id}`],
  ])('is shown by ollm by %s', async (_, named) => {
    const { exitCode, stdout } = await ollm('show', named(), '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: address(), agent: { name } });
  });

  it('is found by ollm by its texts, questions and outputs', async () => {
    const { exitCode, stdout } = await ollm('sync', '--json');
    expect({ exitCode, report: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      report: { skipped: [], damaged: 0 },
    });
    for (const [words, role] of [
      [asked.prompt, 'user'],
      [asked.answer, 'assistant'],
      [NOTE, 'tool'],
    ] as const) {
      const hits = parseLines((await ollm('search', '--json', '--role', role, `"${words}"`)).stdout);
      expect(hits).toEqual([expect.objectContaining({ agent: name, id: source().id, project: cwd, role })]);
    }
  });

  it('is imported by ollm into a journal of its own, once', async () => {
    const { exitCode, stdout } = await ollm('import', address());
    expect({ exitCode, id: stdout.trim() }).toEqual({ exitCode: 0, id: importedId(name, source().id) });
    expect((await ollm('export', importedId(name, source().id))).stdout).toContain(asked.answer);
    expect(JSON.parse((await ollm('import', address(), '--json')).stdout)).toMatchObject({ unchanged: 1, events: 0 });
  });

  it('finds its files unchanged after all that', () => {
    expect(everythingBelow(offline.home)).toEqual(before);
  });

  function ollm(...args: readonly string[]): Promise<RunResult> {
    return home.run(args, { env: { HOME: offline.home } });
  }

  function address(): string {
    return formatAddress(source());
  }

  function source(): Source {
    const found = [...discover(agent, { env: {}, home: offline.home, platform: process.platform }, files)];
    const sources = found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
    expect(found.length).toBe(sources.length);
    expect(sources.length === 1 || (program.losesSessions && sources.length === 2)).toBe(true);
    return sources.sort((left, right) => (left.id < right.id ? -1 : 1))[0]!;
  }

  /** Without what a program put into the role of the user. */
  async function messagesOf(): Promise<readonly string[]> {
    return linesOf(await eventsOf()).filter((line) => /^(?:user|assistant): /.test(line));
  }

  async function eventsOf(): Promise<readonly ForeignEvent[]> {
    const reader = openForeign(agent, source(), files);
    const events: ForeignEvent[] = [];
    for await (const batch of reader.outcomes()) {
      for (const outcome of batch) if (outcome.kind === 'event') events.push(outcome.event);
    }
    reader.close();
    return events;
  }
});

/** Long, and never the same twice: a program may stop a model that repeats itself. */
function ports(): string {
  return Array.from({ length: 150 }, (_, index) => `port ${1000 + index * 7}`).join(', ');
}

/** A member of the first line of output that has it. */
function memberIn(output: string, member: string): string {
  const value = new RegExp(`"${member}":"([^"]+)"`).exec(output)?.[1];
  if (value === undefined) throw new Error(`No “${member}” is in what it printed:\n${output}`);
  return value;
}

/** The texts and calls, without those that programs add of their own. */
function linesOf(events: readonly ForeignEvent[]): string[] {
  return events.flatMap(({ type, data }): string[] => {
    if (type === 'message.added') {
      const { role, parts, synthetic } = data as { role: string; parts: readonly Part[]; synthetic?: boolean };
      const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      return synthetic === true || text === '' ? [] : [`${role}: ${text}`];
    }
    if (type === 'tool.requested') return [`call: ${JSON.stringify({ name: data.name, args: data.args })}`];
    if (type !== 'tool.finished') return [];
    const { status, result } = data as { status: string; result: { llmContent: string } };
    return [`result: ${status}, ${result.llmContent.includes(NOTE) ? NOTE : result.llmContent}`];
  });
}

function dataOf(events: readonly ForeignEvent[], type: string): readonly Record<string, unknown>[] {
  return events.filter((event) => event.type === type).map(({ data }) => data as Record<string, unknown>);
}

/**
 * Names, times and bytes. Without the index of a database's log, which SQLite shares with the program, and the time at
 * which it gave the log, as root, to the owner that it has.
 */
function everythingBelow(root: string): readonly string[] {
  return listingOf(root, ['.'])
    .filter((line) => !/-shm \d/.test(line))
    .map((line) => (/-wal \d/.test(line) ? line.replace(/\S+ (\S+)$/, '$1') : line));
}
