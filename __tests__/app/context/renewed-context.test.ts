// What a session says of its repository, on one made by git itself: it is renewed before a turn, only where it differs.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../../lib/app/compose.ts';
import { addContext } from '../../../lib/app/context/add-context.ts';
import { projectContext } from '../../../lib/app/context/project-context.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../../lib/lead/ask.ts';
import type { ModelRequest } from '../../../lib/providers/provider.ts';
import { findSandbox } from '../../../lib/tools/sandbox/find-sandbox.ts';
import { says, scriptedProvider } from '../../support/scripted-provider.ts';
import { createTree } from '../../support/tree.ts';

const finding = await findSandbox();
const whereConfined = finding.available ? it : it.skip;
const GIT = ['-c', 'user.name=Me', '-c', 'user.email=me@example.com', '-c', 'init.defaultBranch=main'];

/** A conversation in a repository with one commit, opened as `--context` does it. */
async function inRepository({ context = true } = {}) {
  const tree = createTree({ 'home/': '', 'project/a.txt': 'a' });
  const cwd = join(tree.root, 'project');
  const git = (...args: string[]) => execFileSync('git', [...GIT, ...args], { cwd, encoding: 'utf8' }).trim();
  const commit = (): string => {
    git('add', '.');
    git('commit', '-qm', 'A commit');
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q');
  const first = commit();
  const provider = { ...scriptedProvider(() => says('ok')), name: 'offline' };
  const app = await createApp({
    env: { PATH: process.env.PATH, HOME: join(tree.root, 'home') },
    cwd,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { providers: { offline: async () => provider } },
  });
  const conversation = await openSession(app, { kind: 'new' });
  for (const entry of await projectContext(app, { context }))
    await addContext(app, conversation, { ...entry, source: 'system' });
  return {
    ...{ tree, git, commit, first },
    /** The request of a turn. */
    async turn(): Promise<ModelRequest> {
      await lastValueFrom(ask(app, conversation, { text: 'and now?' }).pipe(toArray()));
      return provider.requests.at(-1)!;
    },
    logged: (message: string) => app.log.error({ service: 'test', operation: 'try' }, message),
    errors: () => conversation.session.states.context.entries.find(({ key }) => key === 'recent errors')?.content,
    entry: () => conversation.session.states.context.entries.find(({ key }) => key === 'git')?.content,
    events: () => conversation.session.writer.head.seq,
    async [Symbol.asyncDispose]() {
      await conversation.session.close('exit');
      await app.close();
      tree[Symbol.dispose]();
    },
  };
}

const said = ({ system, messages }: ModelRequest) => JSON.stringify([system, messages]);

describe('the state of the repository', () => {
  it('is that of the newest commit in the next request, which begins as before', async () => {
    await using here = await inRepository();
    const before = await here.turn();
    expect(said(before)).toContain(here.first);
    here.tree.write({ 'project/b.txt': 'b' });
    const second = here.commit();
    const after = await here.turn();
    expect(after.system).toBe(before.system);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(said({ ...after, messages: after.messages.slice(before.messages.length) })).toContain(`Commit: ${second}`);
    expect(here.entry()).toContain(`Commit: ${second}`);
    expect(here.entry()).not.toContain(here.first);
  });

  whereConfined('reports changed files as git does, with the commits as they were', async () => {
    await using here = await inRepository();
    await here.turn();
    const before = here.entry()!;
    expect(before).toContain('Files: nothing changed\nLast commits:');
    here.tree.write({ 'project/a.txt': 'changed', 'project/new.txt': '' });
    await here.turn();
    const changed = 'Files: 1 changed and not staged, 1 untracked';
    expect(here.entry()).toBe(before.replace('Files: nothing changed', changed));
  });

  it('becomes no event if it is equal, and none if the session has no such entry', async () => {
    await using same = await inRepository();
    await using without = await inRepository({ context: false });
    const countOf = async (one: typeof same) => {
      await one.turn();
      const begun = one.events();
      await one.turn();
      return one.events() - begun;
    };
    expect(await countOf(same)).toBe(await countOf(without));
    without.tree.write({ 'project/b.txt': 'b' });
    without.commit();
    await without.turn();
    expect(without.entry()).toBeUndefined();
  });

  it('is removed with the repository, and the model is told', async () => {
    await using here = await inRepository();
    await here.turn();
    here.tree.write({ 'moved/': '' });
    execFileSync('mv', [join(here.tree.root, 'project/.git'), join(here.tree.root, 'moved/git')]);
    expect(said(await here.turn())).toContain('The section \\"## git\\" no longer holds.');
    expect(here.entry()).toBeUndefined();
  });
});

describe('the errors of the log', () => {
  it('are those until the turn, in a session that began without errors, and become one event each time', async () => {
    await using here = await inRepository();
    await here.turn();
    expect(here.errors()).toBeUndefined();
    here.logged('The first fault');
    expect(said(await here.turn())).toContain('The first fault');
    const before = here.events();
    await here.turn();
    const still = here.events() - before;
    here.logged('The second fault');
    expect(said(await here.turn())).toContain('The second fault');
    expect(here.errors()).toMatch(/first fault[\s\S]*second fault/);
    expect(here.events() - before - still).toBe(still + 1);
  });

  it('are not read in a session that was opened without --context', async () => {
    await using here = await inRepository({ context: false });
    here.logged('A fault');
    expect(said(await here.turn())).not.toContain('A fault');
  });
});
