// `/save`: the snapshot is refreshed now; an ephemeral session is written to disk after all, under its id.
import { checkArguments } from '../../../errors/arguments.ts';
import type { JournalReader, JournalStore, JsonObject, NewEvent } from '../../../journal/types.ts';
import { copyEvents } from '../../../session/copy-events.ts';
import { createdAgain, firstEvent } from '../../../session/fork.ts';
import { openSession } from '../../../session/open.ts';
import { blobsOf } from '../../../session/pointers.ts';
import { isEncrypted } from '../../../stores/sealing/session-keys.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { conversationIn, sessionOptions } from './conversation-in.ts';

/**
 * Writes the snapshot now; a session that was only in memory is stored on disk from here on. Returns the conversation
 * to continue with: the same, or its successor on disk.
 *
 * @example
 * conversation = await saveSession(app, conversation);
 * @throws OllmError SESSION_EXISTS, JOURNAL_FULL, JOURNAL_READ_ONLY
 */
export async function saveSession(app: App, conversation: Conversation): Promise<Conversation> {
  checkArguments('saveSession', { app: 'App', conversation: 'Conversation' }, [app, conversation]);
  if (!conversation.ephemeral) {
    await conversation.session.save({ snapshot: 'now' });
    return { ...conversation, notices: [] };
  }
  const { session, store: memory } = conversation;
  const disk = app.openDiskStore();
  await session.exclusively(() => readJournal(memory, session.id, (reader) => copySession(memory, disk, reader)));
  const kept = await openSession(disk, session.id, sessionOptions(app));
  await session.close('exit');
  await kept.save({ snapshot: 'now' });
  const notices = [`This session is kept from now on, as ${kept.id} in ${disk.location}.`];
  const provider = await app.providers.load(conversation.choice.provider.name);
  const choice = { ...conversation.choice, provider };
  const encrypted = await isEncrypted(disk, kept.id);
  return conversationIn(disk, kept, {
    mode: conversation.state.mode,
    choice,
    ephemeral: false,
    encrypted,
    notices,
  });
}

async function copySession(from: JournalStore, to: JournalStore, reader: JournalReader): Promise<void> {
  const { id } = reader;
  await to.createFilled(id, {
    created: createdAgain(await firstEvent(reader)),
    async fill(writer) {
      for await (const batch of copyEvents(reader.outcomes())) {
        const names = new Map<string, string>();
        for (const sha256 of batch.flatMap(({ type, data }) => blobsOf(type, data as JsonObject))) {
          const content = await from.readBlob(sha256);
          if (content !== undefined) names.set(sha256, await to.putBlob(content, id));
        }
        await writer.append(batch.map((event) => naming(event, names)));
      }
    },
  });
}

/**
 * Sealed attachments have new names, which replace the old ones in texts too. The checksum of a content stays.
 */
function naming(event: NewEvent, names: ReadonlyMap<string, string>): NewEvent {
  const changed = [...names].filter(([before, after]) => before !== after);
  if (changed.length === 0) return event;
  const renamed = (text: string) => changed.reduce((each, [before, after]) => each.replaceAll(before, after), text);
  const json = JSON.stringify(event.data, (key, value) =>
    typeof value === 'string' && key !== 'sha256' ? renamed(value) : value,
  );
  return { ...event, data: JSON.parse(json) as object };
}
