import { setTimeout } from 'node:timers/promises';
import { createLaterWork } from '../../lib/repl/later.ts';
import { createHome, type Home } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;
const MESSAGE = {
  type: 'message.added',
  data: {
    role: 'user',
    parts: [{ type: 'text', text: 'hello' }],
    tokens: { count: 1, method: 'estimated' },
    trusted: true,
  },
};

describe('work that may wait until the user can type', () => {
  it('begins in a moment, and reports each result once', async () => {
    const later = createLaterWork();
    later.add(async () => ['one']);
    later.add(async () => ['two', 'three']);
    expect(later.reports()).toEqual([]);
    later.begin();
    const told: string[] = [];
    while (told.length < 3) {
      told.push(...later.reports());
      await setTimeout(5);
    }
    expect(told).toEqual(['one', 'two', 'three']);
    expect(later.reports()).toEqual([]);
  });

  it('is done before the first line of a pipe', async () => {
    const later = createLaterWork();
    later.add(async ({ aborted }) => [String(aborted)]);
    expect(await later.finish()).toEqual(['false']);
    expect(await later.stop()).toEqual([]);
  });

  it('that was added by other work follows after the first line of a pipe', async () => {
    const later = createLaterWork();
    const rest = Promise.withResolvers<void>();
    later.add(async () => {
      later.add(async () => {
        await rest.promise;
        return ['the rest'];
      });
      return ['the first'];
    });
    expect(await later.finish()).toEqual(['the first']);
    rest.resolve();
    const told: string[] = [];
    while (told.length === 0) {
      told.push(...later.reports());
      await setTimeout(5);
    }
    expect(told).toEqual(['the rest']);
  });

  it('does not begin after the user leaves, and work that has begun is awaited', async () => {
    const left = createLaterWork();
    left.add(async () => ['never']);
    left.begin();
    expect(await left.stop()).toEqual([]);
    const later = createLaterWork();
    const begun = Promise.withResolvers<void>();
    later.add(async (stop) => {
      begun.resolve();
      while (!stop.aborted) await setTimeout(1);
      return ['as far as it came'];
    });
    later.add(async () => ['never']);
    later.begin();
    await begun.promise;
    expect(await later.stop()).toEqual(['as far as it came']);
  });
});

describe('more sessions than the limit', () => {
  let home: Home;
  beforeEach(async () => {
    home = createHome();
    for (const id of ['one', 'two', 'three']) await home.append(id, [MESSAGE]);
  });
  afterEach(() => home[Symbol.dispose]());
  const env = { OLLM_SERVICES__SESSION__MAX_SESSIONS: '3' };

  it('go to the trash while the prompt is shown on a terminal, and the next prompt reports it', async () => {
    const { PATH = '' } = process.env;
    await using terminal = openTerminalHere(['repl', '--new', '--provider', 'offline'], {
      cwd: home.path,
      env: { PATH, HOME: home.path, OLLM_HOME: home.path, ...env },
    });
    await terminal.waitFor(PROMPT);
    while ((await ids(home)).length > 3) await setTimeout(20);
    const told = () => terminal.lines().join('\n');
    // They are gone a moment before the program has heard of it.
    for (let prompts = 1; prompts <= 10 && !told().includes('moved to the trash'); prompts += 1) {
      terminal.type('/help all\r');
      await terminal.waitFor('Ctrl+D');
      await terminal.waitFor(PROMPT);
    }
    expect(told()).toContain('One old session was moved to the trash');
    expect(told()).toContain('ollm restore one');
    terminal.type('/quit\r');
    expect(await terminal.exit).toMatchObject({ code: 0 });
    expect(await ids(home)).not.toContain('one');
    expect((await home.run(['restore', 'one'])).exitCode).toBe(0);
  });

  it('go to the trash before the first answer through a pipe', async () => {
    const { stderr, exitCode } = await home.run(['repl', '--new', '--provider', 'offline'], { env, input: 'hello\n' });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('One old session was moved to the trash');
    expect(await ids(home)).not.toContain('one');
  });
});

async function ids(home: Home): Promise<string[]> {
  const { stdout } = await home.run(['list', '--json']);
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
}
