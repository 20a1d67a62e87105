// A user who goes to another session takes along the prompts that were typed ahead.
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { leaveSession } from '../../lib/app/sessions/open/leave-session.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { Leader } from '../../lib/lead/leader.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { waitingPrompts } from '../../lib/session/waiting-prompts.ts';
import { event } from '../support/event-list.ts';
import { createTree } from '../support/tree.ts';

async function world(root: string) {
  const app = await createApp({
    env: { HOME: root, OLLM_HOME: join(root, '.ollm') },
    cwd: root,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { log: silentLog },
  });
  const leaderOf = async (name: string) => {
    const conversation = await openSession(app, { kind: 'new', name });
    await conversation.session.append(event.said('user', `Hello, ${name}`));
    return Leader.of(app, conversation, { perform: () => Promise.reject(new Error('no turn')), onSignal() {} });
  };
  const goTo = async (leader: Leader, name: string, mode?: 'ephemeral') => {
    const before = leader.conversation!;
    const next = await openSession(app, { kind: 'new', name, ...(mode && { ephemeral: true }) });
    await leader.change(async () => {
      await leaveSession(app, before, { reason: 'exit' });
      return next;
    });
  };
  return { app, leaderOf, goTo };
}

const typed = {
  promptId: 'p1',
  text: 'and the harbour?',
  queuedAt: '2026-01-01T00:00:00.000Z',
  awaits: 'user',
} as const;

describe('prompts that were typed ahead', () => {
  it('wait in the session that their user switched to, and no longer in the one before', async () => {
    using tree = createTree();
    const { app, leaderOf, goTo } = await world(tree.root);
    const leader = await leaderOf('oak');
    await leader.add(typed);
    await goTo(leader, 'elm');
    expect(leader.prompts.map(({ promptId }) => promptId)).toEqual(['p1']);
    await leader.close({ reason: 'exit' });
    const waiting = async (id: string) => (await waitingPrompts(app.store, id)).map(({ text }) => text);
    expect([await waiting('oak'), await waiting('elm')]).toEqual([[], ['and the harbour?']]);
    await app.close();
  });

  it('stay in their stored session when the user switches to an ephemeral one', async () => {
    using tree = createTree();
    const { app, leaderOf, goTo } = await world(tree.root);
    const leader = await leaderOf('oak');
    await leader.add(typed);
    await goTo(leader, 'elm', 'ephemeral');
    expect(leader.prompts).toEqual([]);
    await leader.close({ reason: 'exit' });
    await app.close();
  });
});
