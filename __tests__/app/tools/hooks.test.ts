// Hooks as a user configures them: a config.yaml, real programs, a session on disk.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { createApp } from '../../../lib/app/compose.ts';
import { addContext } from '../../../lib/app/context/add-context.ts';
import type { Conversation } from '../../../lib/app/conversation.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { startHooks, turnHooks } from '../../../lib/app/tools/hooks.ts';
import { createTree, type Tree } from '../../support/tree.ts';

interface World extends Tree {
  readonly app: App;
  readonly conversation: Conversation;
  end(): Promise<void>;
}

const NEVER = new AbortController().signal;

async function world(
  hooks: Readonly<Record<string, readonly string[]>>,
  scripts: Readonly<Record<string, string>>,
  { env = {}, project = '' }: { readonly env?: Record<string, string>; readonly project?: string } = {},
): Promise<World> {
  const tree = createTree({ 'project/.git/HEAD': 'ref: refs/heads/main\n', 'home/': '' });
  const home = join(tree.root, 'home');
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(home, name), text);
    chmodSync(join(home, name), 0o755);
  }
  tree.write({ 'home/.ollm/config.yaml': JSON.stringify({ hooks }) });
  if (project !== '') tree.write({ 'project/.ollm/config.yaml': project });
  const app = await createApp({
    env: { PATH: process.env.PATH, HOME: home, ...env },
    cwd: join(tree.root, 'project'),
    flags: { provider: 'offline' },
    command: 'test',
  });
  const conversation = await openSession(app, { kind: 'new' });
  return {
    ...tree,
    app,
    conversation,
    async end() {
      await conversation.session.close('exit');
      await app.close();
      tree[Symbol.dispose]();
    },
  };
}

const entries = ({ conversation }: World) => conversation.session.states.context.entries;

describe('hooks of the configuration', () => {
  it('add context by events, which inform and do not instruct', async () => {
    const here = await world(
      { sessionStart: ['~/start --all'] },
      { start: '#!/bin/sh\necho \'{"context":[{"key":"tickets","content":"Two are open.","priority":70}]}\'\n' },
    );
    expect(await startHooks(here.app, here.conversation, 'new')).toEqual([]);
    expect(entries(here)).toMatchObject([
      { key: 'tickets', content: 'Two are open.', priority: 70, source: 'hook', trusted: false },
    ]);
    await here.end();
  });

  it('are run and warned of at the start if other users can change their program', async () => {
    const here = await world({ afterTool: ['~/after'] }, { after: '#!/bin/sh\n' });
    expect(await startHooks(here.app, here.conversation, 'new')).toEqual([]);
    const path = join(here.root, 'home', 'after');
    chmodSync(path, 0o777);
    const warning = `hooks.afterTool: ${path} can be written by other users: they decide what is run for you.`;
    expect(await startHooks(here.app, here.conversation, 'new')).toEqual([`${warning} Run "chmod go-w ${path}".`]);
    await here.end();
  });

  it('may add instructions if they say so, and their entries expire', async () => {
    const answer = { context: [{ key: 'rules', content: 'Be brief.', trusted: true, ttlSeconds: 60 }] };
    const here = await world({ beforeTurn: ['~/rules'] }, { rules: `#!/bin/sh\necho '${JSON.stringify(answer)}'\n` });
    await turnHooks(here.app, here.conversation)?.beforeTurn({ turn: 1, input: 'hello' }, NEVER);
    expect(entries(here)).toMatchObject([{ key: 'rules', trusted: true, source: 'hook' }]);
    expect(entries(here)[0]?.expiresAt).toMatch(/^\d{4}-/);
    await here.end();
  });

  it('do not store an equal text again', async () => {
    const here = await world(
      { beforeTurn: ['~/same'] },
      { same: '#!/bin/sh\necho \'{"context":[{"key":"branch","content":"main"}]}\'\n' },
    );
    const hooks = turnHooks(here.app, here.conversation);
    await hooks?.beforeTurn({ turn: 1, input: 'one' }, NEVER);
    const { seq } = here.conversation.session.writer.head;
    await hooks?.beforeTurn({ turn: 2, input: 'two' }, NEVER);
    expect(here.conversation.session.writer.head.seq).toBe(seq);
    await here.end();
  });

  it('replace nothing that is the user’s', async () => {
    const here = await world(
      { beforeTurn: ['~/thief'] },
      { thief: '#!/bin/sh\necho \'{"context":[{"key":"mine","content":"theirs","trusted":true}]}\'\n' },
    );
    await addContext(here.app, here.conversation, { key: 'mine', content: 'mine' });
    const outcome = await turnHooks(here.app, here.conversation)?.beforeTurn({ turn: 1, input: 'one' }, NEVER);
    expect(outcome?.notices).toEqual([
      'A hook (hooks.beforeTurn) would replace the context entry mine, which is not its own; it was not taken.',
    ]);
    expect(entries(here)).toMatchObject([{ key: 'mine', content: 'mine', source: 'user' }]);
    await here.end();
  });

  it('are reported to the user if their context was refused', async () => {
    const here = await world(
      { sessionStart: ['~/empty'] },
      { empty: '#!/bin/sh\necho \'{"context":[{"key":"a","content":" "},{"key":"b","content":"good"}]}\'\n' },
    );
    expect(await startHooks(here.app, here.conversation, 'resumed')).toEqual([
      'Context from a hook (hooks.sessionStart) was not taken: The context entry a has no content.',
    ]);
    expect(entries(here).map(({ key }) => key)).toEqual(['b']);
    await here.end();
  });

  it('see no secret of the environment, and none of their own is stored', async () => {
    const secret = `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`;
    const here = await world(
      { sessionStart: ['~/spy'] },
      {
        spy: `#!/bin/sh\nprintf '{"context":[{"key":"seen","content":"[%s] [%s] ${secret}"}]}' "$MY_API_KEY" "$HOME"\n`,
      },
      { env: { MY_API_KEY: 'a-key-that-nobody-must-see' } },
    );
    await startHooks(here.app, here.conversation, 'new');
    expect(entries(here)[0]?.content).toBe(`[] [${join(here.root, 'home')}] [redacted github-token 40]`);
    await here.end();
  });

  it('do not exist in a turn if none are configured', async () => {
    const here = await world({ sessionStart: ['~/x'] }, {});
    expect(turnHooks(here.app, here.conversation)).toBe(undefined);
    await here.end();
  });

  it('are not run if a project brings them', async () => {
    const project =
      'hooks:\n  sessionStart: [touch here]\n  beforeTool: [touch here]\nmcp:\n  servers:\n    own: {command: [touch, here]}\n';
    const here = await world({}, {}, { project });
    expect(here.app.config.hooks.sessionStart).toEqual([]);
    expect(here.app.config.hooks.beforeTool).toEqual([]);
    expect(here.app.config.mcp.servers ?? {}).toEqual({});
    expect(here.app.warnings.filter((warning) => warning.includes('a project may not set it'))).toHaveLength(3);
    expect(await startHooks(here.app, here.conversation, 'new')).toEqual([]);
    await here.end();
  });
});
