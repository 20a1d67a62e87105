// Opens a session: from its state file if the journal still has the line that it was made from, otherwise from the
// journal. Closes open ends of a crash. `report.notices` has messages for the user.
import type { Anchor, DamageKind, JournalStore, JournalWriter } from '../journal/types.ts';
import { closeOpenEnds, closingEvents } from './close-open-ends.ts';
import type { SessionOptions } from './create.ts';
import { describeOpening } from './describe-opening.ts';
import { liveSession } from './live-session.ts';
import { evidenceOfLoss } from './saved/evidence.ts';
import { trustedState } from './saved/saved-state.ts';
import type { Session } from './session.ts';
import { completeStates, createKeeper, followJournal, savedReplay } from './states.ts';

/** Kinds of damage that a crash leaves at the end of a journal. */
const NEVER_ACKNOWLEDGED: readonly DamageKind[] = ['torn-tail', 'zero-tail', 'unterminated'];

/**
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_NEWER_FORMAT,
 * JOURNAL_EDITED, JOURNAL_READ_ONLY
 */
export async function openSession(store: JournalStore, id: string, options: SessionOptions): Promise<Session> {
  const { saved, stamp } = (await savedBy(store, id)) ?? {};
  const from = saved && savedReplay(saved);
  const keeper = createKeeper({ loop: options.loop, from });
  const writer = await store.openWriter(id, {
    policy: options.policy,
    ...(from && { anchor: from.position, anchorEpoch: saved?.epoch, anchorStamp: stamp }),
    onEvent: (event) => keeper.apply(event),
  });
  try {
    const lastRead = keeper.anchor;
    await followJournal(keeper, store, id);
    // A different process may have moved further back than the saved states reach.
    await completeStates(keeper, store, id);
    const notices = [
      ...(from ? [] : await setEvidenceAside(store, id, lastRead, writer.head)),
      ...describeOpening(id, writer.report),
    ];
    const closing = closeOpenEnds(keeper.states.openEnds, { mayLackEvents: mayLackEvents(writer) });
    const report = { created: false, damage: writer.report.damage, notices: [...notices, ...closing.notices] };
    const session = liveSession({ store, writer, keeper, report, log: options.log });
    const events = await closingEvents(closing, (bytes) => store.putBlob(bytes, id));
    if (events.length > 0) await session.append(events, { durability: 'disk' });
    return session;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/**
 * Bytes that recovery took off the end were never acknowledged; other damage, and a policy that syncs nothing, may hide
 * events.
 */
function mayLackEvents({ policy, report }: JournalWriter): boolean {
  return policy === 'process' || report.damage.some(({ kind }) => !NEVER_ACKNOWLEDGED.includes(kind));
}

async function savedBy(store: JournalStore, id: string) {
  using reader = store.openReader(id);
  return await trustedState(store, reader);
}

/** A derived file that knows a later line than the journal has is evidence: it is kept, and not used. */
async function setEvidenceAside(
  store: JournalStore,
  id: string,
  lastRead: Anchor | undefined,
  head: Anchor,
): Promise<string[]> {
  const notices: string[] = [];
  for (const { kind, known } of await evidenceOfLoss(store, id, lastRead)) {
    const name = await store.setAsideDocument(id, kind);
    notices.push(
      `Events were lost: the ${kind} file knows event ${known.seq}, and the journal ended before it. The journal continues from event ${head.seq}; what the file knew is kept in ${name}. Look for a backup of ${id}.jsonl.`,
    );
  }
  return notices;
}
