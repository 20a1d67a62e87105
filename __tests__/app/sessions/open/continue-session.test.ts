import type { Conversation } from '../../../../lib/app/conversation.ts';
import { continueWhenFull } from '../../../../lib/app/sessions/open/continue-session.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { modelMessages } from '../../../../lib/context/model-messages.ts';
import { stepsOf } from '../../../../lib/context/steps.ts';
import { currentViewSummary } from '../../../../lib/projections/current-view.ts';
import { countedEntries } from '../../../../lib/projections/timeline.ts';
import { countItems } from '../../../../lib/session/continue.ts';
import { says } from '../../../support/scripted-provider.ts';
import { appWorld, SESSIONS, tell } from '../../world.ts';

async function worldWith(maxItems: number) {
  const world = await appWorld({ script: (request) => says(`answer ${request.messages.length}`) });
  const app = { ...world.app, config: { ...world.app.config, retention: { ...world.app.config.retention, maxItems } } };
  const conversation = await openSession(app, { kind: 'name', name: 'notes' });
  return { ...world, app, conversation };
}

/** The next request to the model. */
function sent({ session }: Conversation) {
  return modelMessages(stepsOf(countedEntries(session.states.view.timeline)), { provider: 'offline' });
}

async function asked(app: Parameters<typeof tell>[0], conversation: Conversation, ...texts: string[]) {
  let current = conversation;
  for (const text of texts) {
    current = await continueWhenFull(app, current);
    await tell(app, current, text);
  }
  return current;
}

describe('a session at the limit of retention.maxItems', () => {
  it('is continued by a new one at the next turn, with its newest turns and a summary of the others', async () => {
    const { app, conversation } = await worldWith(4);
    const full = await asked(app, conversation, 'one', 'two');
    expect(full.session).toBe(conversation.session);
    const before = sent(full).slice(-2);
    const next = await continueWhenFull(app, full);
    expect(next.session.id).toBe('notes-2');
    expect(next.notices.at(-1)).toContain('the conversation continues in notes-2');
    expect(sent(next)).toEqual(before);
    expect(next.session.states.summary.parent).toMatchObject({ sessionId: 'notes' });
    expect(currentViewSummary(next.session.states.view)).toContain('asked: one');
    // The copied events count: one turn fits in.
    const later = await asked(app, next, 'three');
    expect(later.session.id).toBe('notes-2');
    const last = await asked(app, later, 'four');
    expect(last.session.id).toBe('notes-3');
    expect(currentViewSummary(last.session.states.view)).toContain('asked: one');
  });

  it.each([1, 2, 3, 5, 8])('never exceeds the limit at the beginning of a turn, with maxItems %i', async (maxItems) => {
    const { app, conversation } = await worldWith(maxItems);
    let current = conversation;
    for (let turn = 0; turn < 12; turn++) {
      current = await asked(app, current, `question ${turn}`);
      expect(await countItems(app.store, current.session.id)).toBeLessThanOrEqual(Math.max(maxItems - 1, 1) + 2);
      const texts = JSON.stringify(sent(current));
      expect(texts).toContain(`question ${turn}`);
    }
    for (const { id } of await app.store.list()) {
      expect(await countItems(app.store, id)).toBeLessThanOrEqual(Math.max(maxItems - 1, 1) + 2);
    }
  });

  it('keeps every line, and is closed in order', async () => {
    const { app, conversation, fileSystem } = await worldWith(2);
    await tell(app, conversation, 'one');
    const read = () => {
      const handle = fileSystem.open(`${SESSIONS}/notes.jsonl`, 'read');
      const bytes = Buffer.alloc(handle.stat().size);
      handle.read(bytes, 0);
      return bytes;
    };
    const before = read();
    await continueWhenFull(app, conversation);
    expect(read().subarray(0, before.length)).toEqual(before);
    expect((await Array.fromAsync(app.store.openReader('notes').backwards())).flat()[0]).toMatchObject({
      event: { type: 'session.closed' },
    });
  });

  it('continues in the same session when it is resumed', async () => {
    const { app, conversation } = await worldWith(2);
    const next = await asked(app, conversation, 'one', 'two');
    await next.session.close('exit');
    const again = await openSession(app, { kind: 'name', name: 'notes' });
    const found = await asked(app, again, 'three');
    expect(found.session.id).toBe('notes-3');
    expect((await app.store.list()).map(({ id }) => id).sort()).toEqual(['notes', 'notes-2', 'notes-3']);
  });

  it('ignores a session that only has the name of its continuation', async () => {
    const { app, conversation } = await worldWith(2);
    await (await openSession(app, { kind: 'name', name: 'notes-2' })).session.close('exit');
    expect((await asked(app, conversation, 'one', 'two')).session.id).toBe('notes-3');
  });

  it('begins with its summary, and with only the messages after it', async () => {
    const { app, conversation } = await worldWith(4);
    const full = await asked(app, conversation, 'one', 'two');
    const { session } = full;
    const keptFrom = countedEntries(session.states.view.timeline).findLast((item) => item.startsTurn)!.seq;
    const data = {
      strategy: 'summarize' as const,
      covers: { from: 1, to: keptFrom - 1 },
      keptFrom,
      summary: 'They said one.',
      summaryTokens: { count: 4, method: 'unknown' as const },
      tokensBefore: 10,
      tokensAfter: 5,
      by: 'user' as const,
    };
    await session.append({ type: 'compaction.completed', data });
    const before = { messages: sent(full), checkpoint: session.states.view.timeline.checkpoints.at(-1)?.summary };
    const next = await continueWhenFull(app, full);
    const { timeline } = next.session.states.view;
    expect({ messages: sent(next), checkpoint: timeline.checkpoints.at(-1)?.summary }).toEqual(before);
    expect(countedEntries(timeline)).toHaveLength(2);
  });
});
