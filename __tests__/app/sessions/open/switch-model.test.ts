// A session that goes from the search to a model gives it what instructs: the prompt, and the texts that are trusted
// now.
import { dirname } from 'node:path';
import { createApp } from '../../../../lib/app/compose.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { switchModel } from '../../../../lib/app/sessions/open/switch-model.ts';
import { says, scriptedProvider } from '../../../support/scripted-provider.ts';
import { appWorld, tell } from '../../world.ts';

const TRUSTED = { OLLM_TRUSTED_DIRECTORIES: '/home/me/project' };
const MODEL = { provider: 'mine', model: 'm-1' };

async function world(files: Readonly<Record<string, string>> = {}) {
  const { app, clock, fileSystem } = await appWorld();
  const write = (path: string, content: string) => {
    fileSystem.makeDirectory(dirname(path));
    const handle = fileSystem.open(path, 'create', 0o600);
    handle.write(Buffer.from(content));
    handle.close();
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const model = { ...scriptedProvider(() => says('ok')), name: 'mine' };
  const search = { ...scriptedProvider(() => says('found')), name: 'offline' };
  const start = (env: Readonly<Record<string, string>> = {}, provider = 'offline') =>
    createApp({
      env: { HOME: '/home/me', OLLM_HOME: '/home/me/.ollm', ...env },
      cwd: '/home/me/project',
      flags: { provider },
      command: 'test',
      parts: {
        ...{ fileSystem, clock, ids: app.ids, process: app.process, log: app.log },
        providers: { mine: async () => model, offline: async () => search },
      },
    });
  const sent = () => {
    const { system = '', messages = [] } = model.requests.at(-1) ?? {};
    return [system, ...messages.map((message) => (message.role === 'context' ? message.text : ''))].join('\n');
  };
  const newestDate = () => [...sent().matchAll(/Date: .*/g)].at(-1)?.[0];
  return { start, clock, systemOf: () => model.requests.at(-1)?.system ?? '', newestDate, search };
}

const FILES = {
  '/home/me/project/AGENTS.md': 'Use tabs.',
  '/home/me/.claude/skills/draw/SKILL.md': 'Draws bears.',
};

it('the prompt, the AGENTS.md and the skills are added with the model that follows the search, once', async () => {
  const { start, systemOf, search } = await world(FILES);
  const app = await start(TRUSTED);
  const offline = await openSession(app, { kind: 'new' });
  await tell(app, offline, 'where?');
  expect(search.requests.at(-1)?.system ?? '').not.toMatch(/assistant in a terminal|Use tabs|Draws bears/);
  const first = await switchModel(app, offline, MODEL);
  await tell(app, first, 'one');
  expect(systemOf()).toMatch(
    /You are an assistant in a terminal[\s\S]*Date: [\s\S]*Use tabs\.[\s\S]*draw: Draws bears\./,
  );
  const sent = systemOf();
  const { seq } = first.session.writer.head;
  const again = await switchModel(app, await switchModel(app, first, { provider: 'offline' }), MODEL);
  expect(first.session.writer.head.seq).toBe(seq + 2);
  await tell(app, again, 'two');
  expect(systemOf()).toBe(sent);
});

it('a session that began with the search and is resumed with a model has the prompt, also on a different day', async () => {
  const { start, clock, systemOf, newestDate } = await world();
  const first = await openSession(await start(), { kind: 'new', name: 'talk' });
  await first.session.close('exit');
  const dates: (string | undefined)[] = [];
  for (const text of ['one', 'two']) {
    const app = await start({}, 'mine');
    const resumed = await openSession(app, { kind: 'resume', reference: 'talk', ...MODEL });
    await tell(app, resumed, text);
    expect(systemOf()).toContain('You are an assistant in a terminal');
    dates.push(newestDate());
    await resumed.session.close('exit');
    clock.advance(24 * 60 * 60 * 1000);
  }
  expect(new Set(dates).size).toBe(2);
});

it('journal texts that the user no longer trusts are removed before the model is asked', async () => {
  const { start, systemOf } = await world(FILES);
  const trusting = await start(TRUSTED, 'mine');
  const first = await openSession(trusting, { kind: 'new', name: 'talk', ...MODEL });
  await tell(trusting, first, 'one');
  expect(systemOf()).toContain('Use tabs.');
  await first.session.close('exit');
  const app = await start();
  const offline = await openSession(app, { kind: 'resume', reference: 'talk', provider: 'offline' });
  const switched = await switchModel(app, offline, MODEL);
  expect(switched.notices.join()).toContain('AGENTS.md of this project is not used');
  await tell(app, switched, 'two');
  expect(systemOf()).not.toContain('Use tabs.');
  expect(systemOf()).toContain('Draws bears.');
});

it('no prompt is added without the built-in prompt', async () => {
  const { start, systemOf } = await world();
  const app = await start({ OLLM_DEFAULT_PROMPT: 'false' });
  await tell(app, await switchModel(app, await openSession(app, { kind: 'new' }), MODEL), 'one');
  expect(systemOf()).not.toContain('You are an assistant');
});
