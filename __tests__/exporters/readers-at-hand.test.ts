// Every real session of another program that is on this machine: the page, the exports, the outline and the
// messages over HTTP show the same turns, messages and calls in the same order. Lists and `show`, which are of one
// fold, and the session as JSON have the same counts and times.
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { exportConversation } from '../../lib/app/sessions/read/export-session.ts';
import { decodeEvent } from '../../lib/events/decode.ts';
import type { OllmEvent } from '../../lib/events/index.ts';
import { messagesOf } from '../../lib/host/reading/unified-messages.ts';
import type { SessionEvent } from '../../lib/journal/types.ts';
import type { SentEvent } from '../../lib/page/api/types.ts';
import { blocksOf } from '../../lib/page/model/blocks.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { isOnActiveBranch } from '../../lib/projections/branches.ts';
import { addEvent, emptyConversation } from '../../lib/projections/conversation.ts';
import { outlineFold } from '../../lib/projections/outline.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import type { StoredElsewhere } from '../support/continued-session.ts';
import {
  type Line,
  linesOfConversation,
  linesOfHtml,
  linesOfPage,
  linesOfTranscript,
  promptsIn,
  undoneSpans,
} from '../support/lines-of-readers.ts';
import { areSessionsAtHand, sessionsAtHand, withArchive } from '../support/sessions-at-hand.ts';

const withoutEnds = (lines: readonly Line[]) => lines.map(([kind, place, undone]) => [kind, place, undone]);

/** Names of the readers that show another conversation. */
async function othersThan({ agent, source, fileSystem = nodeFileSystem }: StoredElsewhere): Promise<string[]> {
  const reader = openForeign(agent, source, { fileSystem, uid: undefined });
  try {
    const folds = { outline: outlineFold, summary: summaryFold, session: sessionFold };
    const { states } = await replay(reader, folds);
    const isUndone = (seq: number) => !isOnActiveBranch(states.outline.branches, seq);
    const events: OllmEvent[] = [];
    const stored: SessionEvent[] = [];
    for await (const batch of reader.outcomes()) {
      for (const outcome of batch) {
        if (outcome.kind === 'damage') continue;
        stored.push(outcome.event);
        const decoded = decodeEvent(outcome.event);
        if (decoded.kind === 'known') events.push(decoded.event);
      }
    }
    const conversation = emptyConversation();
    for (const event of events) addEvent(conversation, event, isUndone);
    const expected = linesOfConversation(conversation.items);
    const pieces: Uint8Array[] = [];
    for await (const chunk of (await exportConversation(reader, { format: 'html' })).chunks) pieces.push(chunk);
    async function* items() {
      yield events.map((event) => ({ kind: 'event', event }) as const);
    }
    const undone = undoneSpans(states.outline.head, isUndone);
    const shown = {
      page: withoutEnds(linesOfPage(blocksOf(events as readonly SentEvent[], { undone }))),
      export: withoutEnds(await linesOfTranscript(items(), isUndone)),
      html: linesOfHtml(Buffer.concat(pieces).toString()),
    };
    const others = Object.entries(shown).filter(
      ([, lines]) => JSON.stringify(lines) !== JSON.stringify(withoutEnds(expected)),
    );
    const prompts = promptsIn(conversation.items);
    const sent = messagesOf(stored, { provider: agent.name, sessionId: source.id });
    const listed = {
      outline: states.outline.prompts.map(({ seq }) => seq),
      messages: sent
        .filter((message) => message.type === 'user_message' && !message.synthetic && message.replaces === undefined)
        .map(({ seq }) => seq),
    };
    const lists = Object.entries(listed).filter(([, seqs]) => JSON.stringify(seqs) !== JSON.stringify(prompts));
    const { summary } = states;
    const document = sessionJson(states.session);
    const figures = {
      'turns of a list': [summary.turnCount, states.outline.prompts.filter(({ seq }) => !isUndone(seq)).length],
      'messages of a list': [summary.messageCount, document.messages.length],
      'last activity of a list': [summary.lastActivity, document.lastActivity ?? ''],
    };
    const unequal = Object.entries(figures).filter(([, [one, other]]) => one !== other);
    return [...others, ...lists, ...unequal].map(([name]) => name);
  } finally {
    reader.close();
  }
}

(areSessionsAtHand ? describe : describe.skip)('every foreign session at hand', () => {
  it('each session is the same conversation on the page, in exports and in the outline', async () => {
    const differing: string[] = [];
    let count = 0;
    const tryAll = async (sessions: readonly StoredElsewhere[]) => {
      for (const session of sessions) {
        const others = await othersThan(session);
        differing.push(...others.map((reader) => `${session.agent.name}:${session.source.id}: ${reader}`));
        count += 1;
      }
    };
    await tryAll(await sessionsAtHand());
    await withArchive(tryAll);
    expect(differing).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});
