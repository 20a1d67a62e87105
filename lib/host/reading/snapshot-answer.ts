// A snapshot of a session as it is answered, with its events as messages. Made in a worker: a turn may have thousands.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { App } from '../../app/app.ts';
import type { SessionEvent } from '../../journal/types.ts';
import type { SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import { readSnapshot } from '../sessions/read-snapshot.ts';
import { messagesOf } from './unified-messages.ts';

export type SnapshotAnswer = FromSchema<typeof SHAPES.Snapshot>;

/** @throws as `readSnapshot` */
export async function snapshotAnswer(app: App, { id, ...here }: SnapshotOf): Promise<SnapshotAnswer> {
  return withMessages(await readSnapshot(app, id, here));
}

export function withMessages(snapshot: SessionSnapshot): SnapshotAnswer {
  const events = snapshot.events.flatMap(({ data }) => (data === undefined ? [] : [data as unknown as SessionEvent]));
  return { ...snapshot, messages: messagesOf(events, { provider: snapshot.provider, sessionId: snapshot.sessionId }) };
}
