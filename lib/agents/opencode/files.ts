// A session of opencode before its database, as records: a file for the session, one for each message, and one for each
// part, in neighbouring folders. Names are ids, which give the order.
import { dirname, join } from 'node:path';
import { defined } from '../../platform/json.ts';
import type { FilesAround, HeadDraft, JsonObject, Source } from '../agent.ts';
import { documentAt } from '../finding.ts';
import { nonEmpty, objectIn } from '../members.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { isStopped, recordsOfMessage } from './records.ts';

const JSON_FILE = '.json';

export function* recordsOfFiles(files: FilesAround, source: Source): Iterable<JsonObject> {
  const session = documentAt(source.path, files) ?? {};
  const { directory, title, version, time, parentID, revert } = session;
  yield {
    session: {
      id: source.ownId ?? source.id,
      ...defined({ parentID }),
      directory,
      title,
      version,
      time: { created: objectIn(time)?.created },
    },
  };
  const messages = messagesOf(files, source);
  const last = messages.findLastIndex(({ info }) => info.role !== 'user');
  for (const [index, { info, parts }] of messages.entries()) {
    const mayGrow = index >= last && !isStopped(info);
    const { records, isWhole } = recordsOfMessage({ info, parts: parts() }, mayGrow);
    yield* records;
    if (!isWhole) return;
  }
  const { messageID, partID } = objectIn(revert) ?? {};
  if (nonEmpty(messageID) !== undefined) {
    yield { undone: { messageID, ...defined({ partID }) } };
  }
}

export function headOfFiles(files: FilesAround, source: Source): HeadDraft {
  const draft: HeadDraft = {};
  headFromStart({ session: documentAt(source.path, files) ?? {} }, draft);
  const messages = messagesOf(files, source);
  for (const { info, parts } of messages) if (headFromStart({ info, parts: parts() }, draft)) break;
  for (const { info } of messages.toReversed()) if (headFromEnd({ info }, draft)) break;
  return draft;
}

function messagesOf(files: FilesAround, { id: known, ownId: id = known, path }: Source) {
  const storage = dirname(dirname(dirname(path)));
  return objectsIn(files, join(storage, 'message', id)).map((info) => ({
    info,
    parts: () => objectsIn(files, join(storage, 'part', idOf(info))),
  }));
}

/** In the order of their names; each has the id that its name is. */
function objectsIn(files: FilesAround, folder: string): readonly JsonObject[] {
  return files
    .entries(folder)
    .filter(({ name, kind }) => kind === 'file' && name.endsWith(JSON_FILE))
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => {
      const object = documentAt(join(folder, name), files);
      return object === undefined ? [] : [{ ...object, id: name.slice(0, -JSON_FILE.length) }];
    });
}

function idOf({ id }: JsonObject): string {
  return nonEmpty(id) ?? '';
}
