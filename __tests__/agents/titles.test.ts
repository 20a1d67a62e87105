// What names a session of another program in a list: words of its user or of its model, never what a program put into
// the role of the user. Each session at hand is looked at, by its head and by the fold over all its events.
import { readHead } from '../../lib/agents/head.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { decodeEvent } from '../../lib/events/decode.ts';
import type { SessionEvent } from '../../lib/journal/types.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { nameOf, summaryFold } from '../../lib/projections/summary.ts';
import type { StoredElsewhere } from '../support/continued-session.ts';
import { areSessionsAtHand, sessionsAtHand, withArchive } from '../support/sessions-at-hand.ts';

/** An element of a program's, a heading of its context, or the beginning of a system prompt. */
const NOT_TYPED =
  /^\s*(?:<\/?[a-z][a-z_-]*(?:[ _][a-z_-]+)*>|# Context from my IDE|# AGENTS\.md|Caveat: |\[Request interrupted|You are (?:an?|the|Codex|Claude|opencode|Cursor|Gemini|GitHub|Qwen|pi)\b|System: |This session is being continued)/;

const files = { fileSystem: nodeFileSystem, uid: undefined };

async function titlesOf({ agent, source }: StoredElsewhere): Promise<Record<string, string | undefined>> {
  const head = readHead(agent, source, files);
  const state = summaryFold.initial();
  let summary = state;
  for await (const batch of openForeign(agent, source, files).outcomes()) {
    for (const outcome of batch) {
      if (outcome.kind !== 'event') continue;
      const decoded = decodeEvent(outcome.event as unknown as SessionEvent);
      if (decoded.kind === 'known') summary = summaryFold.apply(summary, decoded.event as never);
    }
  }
  return { title: head.title, firstPrompt: head.firstPrompt, name: nameOf(summary) };
}

(areSessionsAtHand ? describe : describe.skip)('the title of each session at hand', () => {
  it('is not a text that a program injected', async () => {
    const wrong: unknown[] = [];
    let count = 0;
    const look = async (sessions: readonly StoredElsewhere[]) => {
      for (const each of sessions) {
        count += 1;
        const titles = await titlesOf(each);
        for (const [kind, title] of Object.entries(titles)) {
          if (title !== undefined && NOT_TYPED.test(title))
            wrong.push({ path: each.source.path, kind, title: title.slice(0, 80) });
        }
      }
    };
    await look(await sessionsAtHand({ ofKnown: true }));
    await withArchive(look);
    console.log(`${count} sessions were looked at.`);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});
