// A snapshot of a session as it is answered, with its events as messages. Made in a worker: a turn may have thousands.
import type { App } from '../../app/app.ts';
import type { SessionEvent } from '../../journal/types.ts';
import type { SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import { readSnapshot } from '../sessions/read-snapshot.ts';
import { messagesOf, type UnifiedMessage } from './unified-messages.ts';

export interface SnapshotAnswer extends SessionSnapshot {
  readonly messages: readonly UnifiedMessage[];
}

/** @throws as `readSnapshot` */
export async function snapshotAnswer(app: App, { id, ...here }: SnapshotOf): Promise<SnapshotAnswer> {
  return withMessages(await readSnapshot(app, id, here));
}

type Shown = Pick<SessionSnapshot, 'events' | 'sessionId'> & { readonly provider: string };

export function withMessages<Snapshot extends Shown>(snapshot: Snapshot): Snapshot & Pick<SnapshotAnswer, 'messages'> {
  const events = snapshot.events.flatMap(({ data }) => (data === undefined ? [] : [data as unknown as SessionEvent]));
  return { ...snapshot, messages: messagesOf(events, { provider: snapshot.provider, sessionId: snapshot.sessionId }) };
}
