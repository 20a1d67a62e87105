import { createApp } from '../../../../lib/app/compose.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { says, scriptedProvider } from '../../../support/scripted-provider.ts';
import { appWorld, tell } from '../../world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An app whose provider is a model, unlike the search. */
async function modelWorld(env: Readonly<Record<string, string>> = {}) {
  const { app: search, clock, fileSystem } = await appWorld();
  fileSystem.makeDirectory('/home/me/other');
  const provider = { ...scriptedProvider(() => says('ok')), name: 'mine' };
  const start = (cwd = '/home/me/project') =>
    createApp({
      env: { HOME: '/home/me', OLLM_HOME: '/home/me/.ollm', ...env },
      cwd,
      flags: { provider: 'mine', model: 'm-1' },
      command: 'test',
      parts: {
        ...{ fileSystem, clock, ids: search.ids, process: search.process, log: search.log },
        providers: { mine: async () => provider },
      },
    });
  return { start, provider, clock, fileSystem, search };
}

const systemOf = ({ provider }: Awaited<ReturnType<typeof modelWorld>>) => provider.requests.at(-1)!.system ?? '';

describe('the built-in system prompt', () => {
  it('names the directory, the day and the ways of working, in the first request and in each later one', async () => {
    const world = await modelWorld();
    const app = await world.start();
    const conversation = await openSession(app, { kind: 'new' });
    await tell(app, conversation, 'one');
    const first = systemOf(world);
    expect(first).toMatch(/^You are an assistant in a terminal/);
    expect(first).toMatch(/Working directory: \/home\/me\/project\nPlatform: \w+\nDate: \d{4}-\d\d-\d\d\n/);
    await tell(app, conversation, 'two');
    expect(systemOf(world)).toBe(first);
    // It is in the journal like any other prompt, and counted like one.
    expect(conversation.session.states.budget.parts.system.count).toBeGreaterThan(50);
  });

  it('is updated once in a session that is resumed in a different directory or on a different day', async () => {
    const world = await modelWorld();
    const first = await openSession(await world.start(), { kind: 'new', name: 'talk' });
    await first.session.close('exit');
    const again = await openSession(await world.start(), { kind: 'resume', reference: 'talk' });
    expect(again.session.states.context.entries).toEqual([]);
    await again.session.close('exit');
    world.clock.advance(DAY_MS);
    const app = await world.start('/home/me/other');
    const later = await openSession(app, { kind: 'resume', reference: 'talk' });
    await tell(app, later, 'hello');
    expect(systemOf(world)).toMatch(/## environment\n\nWorking directory: \/home\/me\/other\n/);
    await later.session.close('exit');
    const head = later.session.writer.head.seq;
    const last = await openSession(await world.start('/home/me/other'), { kind: 'resume', reference: 'talk' });
    expect(last.session.states.context.entries).toHaveLength(1);
    expect(last.session.writer.head.seq).toBeLessThanOrEqual(head + 1);
  });

  it('is replaced by a prompt file or the settings, and is not used for the search', async () => {
    const world = await modelWorld();
    const handle = world.fileSystem.open('/home/me/project/prompt.md', 'create', 0o644);
    handle.write(Buffer.from('Speak like a pirate.'));
    handle.close();
    const app = await world.start();
    const own = await openSession(app, { kind: 'new', promptFile: 'prompt.md' });
    await tell(app, own, 'hello');
    expect(systemOf(world)).toMatch(/^Speak like a pirate\./);
    expect(systemOf(world)).not.toContain('You are an assistant');

    const without = await modelWorld({ OLLM_DEFAULT_PROMPT: 'false' });
    const bare = await without.start();
    await tell(bare, await openSession(bare, { kind: 'new' }), 'hello');
    expect(systemOf(without)).not.toContain('You are an assistant');

    const { session } = await openSession(world.search, { kind: 'new' });
    expect(session.states.view.timeline.entries).toEqual([]);
  });
});
