// Real programs in a directory of the test's own, started by the real runner.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AskHooksOptions, askHooks } from '../../lib/hooks/ask-hooks.ts';
import type { HookName, HookOccasion } from '../../lib/hooks/question.ts';
import { silentLog, systemClock, systemIds } from '../../lib/platform/index.ts';
import { createRunProgram } from '../../lib/tools/run-program.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { until } from '../support/until.ts';

const CALL = { callId: 'call_1', name: 'bash', args: { command: 'npm test' }, summary: 'npm test', isReadOnly: false };
const BEFORE_TOOL: HookOccasion = { hook: 'beforeTool', turn: 3, call: CALL };
const START: HookOccasion = { hook: 'sessionStart', start: 'new' };
const AFTER_TOOL: HookOccasion = {
  hook: 'afterTool',
  turn: 3,
  call: CALL,
  result: { status: 'ok', content: 'passed', durationMs: 12 },
};

interface HooksWorld extends Tree {
  /** Writes a program and returns its path. */
  script(name: string, text: string): string;
  ask(
    occasion: HookOccasion,
    lines: readonly string[],
    options?: Partial<AskHooksOptions> & { readonly signal?: AbortSignal },
  ): ReturnType<typeof askHooks>;
}

function hooksWorld(): HooksWorld {
  const tree = createTree({ 'project/': '', 'home/': '' });
  const project = join(tree.root, 'project');
  const runProgram = createRunProgram({
    env: { PATH: `${join(tree.root, 'project')}:${process.env.PATH}`, GREETING: 'hello' },
    scope: { writable: [project], protected: [], hidden: [], network: true },
    limits: { timeoutMs: 20_000, maxOutputBytes: 1 << 20 },
    clock: systemClock,
    ids: systemIds,
  });
  return {
    ...tree,
    script(name, text) {
      const path = join(tree.root, name);
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return path;
    },
    ask(occasion, lines, { signal = new AbortController().signal, ...options } = {}) {
      const none: Record<HookName, readonly string[]> = {
        sessionStart: [],
        beforeTurn: [],
        beforeTool: [],
        afterTool: [],
      };
      return askHooks(
        occasion,
        {
          lines: { ...none, [occasion.hook]: lines },
          timeoutMs: 20_000,
          homeDirectory: join(tree.root, 'home'),
          place: { session: 'my-session', project, cwd: project },
          runProgram,
          log: silentLog,
          ...options,
        },
        signal,
      );
    },
  };
}

describe('hooks', () => {
  it('read the event in JSON on standard input', async () => {
    using world = hooksWorld();
    const copy = join(world.root, 'copy.json');
    const hook = world.script('tell', `#!/bin/sh\ncat > '${copy}'\n`);
    expect(await world.ask(AFTER_TOOL, [hook])).toEqual({ context: [], notices: [] });
    const project = join(world.root, 'project');
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toEqual({
      hook: 'afterTool',
      version: 1,
      session: 'my-session',
      project,
      cwd: project,
      turn: 3,
      call: CALL,
      result: { status: 'ok', content: 'passed', durationMs: 12 },
    });
  });

  it('answer with context, in the order of the configuration, and take arguments that no shell reads', async () => {
    using world = hooksWorld();
    const hook = world.script(
      'say',
      '#!/bin/sh\nprintf \'{"context":[{"key":"%s","content":"%s"}]}\' "$1" "$GREETING"\n',
    );
    const { context } = await world.ask({ hook: 'sessionStart', start: 'new' }, [`${hook} 'one $(id)'`, `${hook} two`]);
    expect(context).toEqual([
      { key: 'one $(id)', content: 'hello' },
      { key: 'two', content: 'hello' },
    ]);
  });

  it('refuse by JSON, and later hooks are not asked', async () => {
    using world = hooksWorld();
    const no = world.script('no', '#!/bin/sh\necho \'{"veto":"Not on a Friday."}\'\n');
    const second = world.script('second', `#!/bin/sh\ntouch '${join(world.root, 'asked')}'\n`);
    const { veto } = await world.ask(BEFORE_TOOL, [no, second]);
    expect(veto).toEqual({ rule: 'hook:beforeTool', reason: 'The hook no says no: Not on a Friday.' });
    expect(existsSync(join(world.root, 'asked'))).toBe(false);
  });

  it('refuse by exit code 2 with the reason on standard error', async () => {
    using world = hooksWorld();
    const no = world.script('no', '#!/bin/sh\necho "Ask \x1b[2JAnna first" >&2\nexit 2\n');
    const { veto } = await world.ask(BEFORE_TOOL, [no]);
    expect(veto?.reason).toBe('The hook no says no: Ask Anna first');
  });

  it('may write any text on standard error, without spoiling their answer', async () => {
    using world = hooksWorld();
    const hook = world.script('noisy', '#!/bin/sh\necho warning >&2\necho \'{"veto":"no"}\'\necho more >&2\n');
    expect((await world.ask(BEFORE_TOOL, [hook])).veto?.reason).toBe('The hook noisy says no: no');
  });

  it('refuse a result after a tool, and the user is warned if it is too late', async () => {
    using world = hooksWorld();
    const hook = world.script('late', '#!/bin/sh\necho \'{"veto":"I would not have"}\'\n');
    expect((await world.ask(AFTER_TOOL, [hook])).veto).toEqual({
      rule: 'hook:afterTool',
      reason: 'The hook late says no: I would not have',
    });
    const { veto, notices } = await world.ask(START, [hook]);
    expect(veto).toBe(undefined);
    expect(notices).toEqual([
      'The hook late (hooks.sessionStart) says no, when it is too late for that: I would not have',
    ]);
  });
});

describe('a hook that fails', () => {
  const HANGS = 'hangs';
  /** Short for what hangs, and no hurry for what ends by itself on a busy machine. */
  const limitOf = (what: string) => ({ timeoutMs: what === HANGS ? 3000 : 20_000 });
  const failures: readonly [what: string, script: string | undefined, words: string][] = [
    [
      'ends with a different exit code',
      '#!/bin/sh\necho "no network." >&2\nexit 1\n',
      'ended with exit code 1: no network.',
    ],
    ['is killed', '#!/bin/sh\nkill -9 $$\n', 'was ended by SIGKILL.'],
    ['prints text that is not JSON', '#!/bin/sh\necho allowed\n', 'answered something that is not JSON: "allowed".'],
    ['prints half a JSON', '#!/bin/sh\nprintf \'{"context":[{"key":"a"\'\n', 'answered something that is not JSON'],
    [
      'misspells its veto',
      '#!/bin/sh\necho \'{"vetto":"no"}\'\n',
      'answered with a member "vetto", which there is not.',
    ],
    ['prints bytes', '#!/bin/sh\nhead -c 100 /dev/urandom\n', 'answered something that is not JSON'],
    ['prints without end', '#!/bin/sh\nyes\n', 'was ended: it printed more than 4194304 bytes.'],
    [HANGS, '#!/bin/sh\nsleep 600\n', 'was ended: it took longer than 3 s.'],
    ['has an interpreter that is not there', '#!/no/such/interpreter\n', 'cannot be run:'],
    ['is not there', undefined, 'cannot be run:'],
  ];

  it.each(failures)('before a tool is a veto: it %s', async (what, text, words) => {
    using world = hooksWorld();
    const hook = text === undefined ? join(world.root, 'guard') : world.script('guard', text);
    const { veto } = await world.ask(BEFORE_TOOL, [hook], limitOf(what));
    expect(veto?.reason).toContain(`The hook guard (hooks.beforeTool) ${words}`);
    expect(veto?.reason).toContain('correct it, or remove it');
  });

  it.each(failures)('after a tool is a notice, and the next one is asked: it %s', async (what, text, words) => {
    using world = hooksWorld();
    const hook = text === undefined ? join(world.root, 'guard') : world.script('guard', text);
    const next = world.script('next', '#!/bin/sh\necho \'{"context":[{"key":"k","content":"c"}]}\'\n');
    const { veto, notices, context } = await world.ask(AFTER_TOOL, [hook, next], limitOf(what));
    expect(veto).toBe(undefined);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(`The hook guard (hooks.afterTool) ${words}`);
    expect(context).toEqual([{ key: 'k', content: 'c' }]);
  });

  it('may leave a large question unread, and still answer', async () => {
    using world = hooksWorld();
    const hook = world.script('deaf', '#!/bin/sh\nexec 0<&-\necho \'{"veto":"I did not listen"}\'\n');
    const { veto } = await world.ask({ hook: 'beforeTurn', turn: 1, input: 'x'.repeat(5_000_000) }, [hook]);
    expect(veto?.reason).toContain('I did not listen');
  });

  it.each([
    ['./guard', 'its path must be absolute'],
    ['bin/guard', 'its path must be absolute'],
    ['guard', 'There is no program guard'],
    ['/guard | tee log', '| must be in quotes'],
  ])('is one that a project could put in the place of the user’s: %s', async (line, words) => {
    using world = hooksWorld();
    mkdirSync(join(world.root, 'project', 'bin'));
    world.script('project/guard', `#!/bin/sh\ntouch '${join(world.root, 'ran')}'\n`);
    world.script('project/bin/guard', `#!/bin/sh\ntouch '${join(world.root, 'ran')}'\n`);
    const { veto } = await world.ask(BEFORE_TOOL, [line]);
    expect(veto?.reason).toContain(words);
    expect(existsSync(join(world.root, 'ran'))).toBe(false);
  });
});

describe('a cancelled turn', () => {
  it('ends the hook with its processes, and counts as a veto', async () => {
    using world = hooksWorld();
    const started = join(world.root, 'started');
    const hook = world.script(
      'slow',
      `#!/bin/sh\nsleep 600 & echo $! > '${started}.tmp'; mv '${started}.tmp' '${started}'; wait\n`,
    );
    const controller = new AbortController();
    const answer = world.ask(BEFORE_TOOL, [hook], { signal: controller.signal });
    await until(() => existsSync(started));
    controller.abort();
    expect((await answer).veto).toEqual({
      rule: 'hook:beforeTool',
      reason: 'The hook slow says no: It was cancelled.',
    });
    // A killed process exists until the kernel removes it.
    const pid = Number(readFileSync(started, 'utf8'));
    await until(() => !isAlive(pid));
  });

  it('asks no hook', async () => {
    using world = hooksWorld();
    const hook = world.script('mark', `#!/bin/sh\ntouch '${join(world.root, 'asked')}'\n`);
    const { veto } = await world.ask(BEFORE_TOOL, [hook], { signal: AbortSignal.abort() });
    expect(veto?.reason).toBe('It was cancelled before.');
    expect(existsSync(join(world.root, 'asked'))).toBe(false);
  });
});

/** A zombie, for which its parent has not waited yet, is dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
