// The folder of a task as records: the messages that the model is sent, in their order, and after each answer the
// requests that it took, which only the list for the screen says. Times and models come from that list where the
// messages have none.
import { dirname, join } from 'node:path';
import type { FilesAround, HeadDraft, JsonObject, Source } from '../agent.ts';
import { countIn, defined, nonEmpty, objectIn, objectsIn, parseObject, textIn } from '../members.ts';
import { headFromEnd, headFromStart } from './read.ts';

const SHOWN = 'ui_messages.json';
const ABOUT = 'task_metadata.json';
/** Members of the text of a request, which also has all that was sent. */
const REQUEST = [
  'tokensIn',
  'tokensOut',
  'cacheWrites',
  'cacheReads',
  'cost',
  'apiProtocol',
  'cancelReason',
  'streamingFailedMessage',
];
/** A request that is over has one of these. */
const ENDED = ['tokensIn', 'cost', 'cancelReason', 'streamingFailedMessage'];

interface Request {
  readonly at: number | undefined;
  /** Where it was in the list of messages when it was made; undefined where that was not written. */
  readonly index: number | undefined;
  readonly says: JsonObject;
  readonly model: JsonObject | undefined;
}

export function* recordsOfTask(files: FilesAround, { path }: Source): Iterable<JsonObject> {
  const folder = dirname(path);
  const messages = messagesIn(files.readSmall(path));
  const shown = listIn(files.readSmall(join(folder, SHOWN)));
  const about = parseObject(files.readSmall(join(folder, ABOUT)) ?? '') ?? {};
  const asked = shown.filter(({ say }) => say === 'api_req_started').map((one) => requestOf(one, about));
  const requests = asked.filter(({ says }) => ENDED.some((name) => says[name] !== undefined));
  const times = timesOf(messages, shown);
  const after = Map.groupBy(requests, (request) => answerTo(request, messages));
  for (const [index, message] of messages.entries()) {
    const own = after.get(index) ?? [];
    const at = times[index];
    const model = (message.role === 'assistant' ? own.at(-1)?.model : undefined) ?? modelAt(at, about);
    yield { index, ...defined({ at, model: message.modelInfo === undefined ? model : undefined }), message };
    const answer = nonEmpty(message.id) ?? String(index);
    for (const [place, request] of own.entries()) {
      yield recordOf(request, place === own.length - 1 && message.role === 'assistant' ? answer : undefined);
    }
  }
  for (const request of after.get(undefined) ?? []) yield recordOf(request, undefined);
}

export function headOfTask(files: FilesAround, source: Source): HeadDraft {
  const draft: HeadDraft = {};
  const records = [...recordsOfTask(files, source)];
  for (const record of records) if (headFromStart(record, draft)) break;
  for (const record of records.toReversed()) if (headFromEnd(record, draft)) break;
  const about = parseObject(files.readSmall(join(dirname(source.path), ABOUT)) ?? '');
  const version = nonEmpty(objectsIn(about?.environment_history).at(-1)?.cline_version);
  if (version !== undefined) draft.version = version;
  return draft;
}

/** A list; a later form has it in an object. */
function messagesIn(text: string | undefined): readonly JsonObject[] {
  const list = listIn(text);
  return list.length > 0 ? list : objectsIn(parseObject(text ?? '')?.messages);
}

function listIn(text: string | undefined): readonly JsonObject[] {
  return objectsIn(parseObject(`{"list":${text ?? 'null'}}`)?.list);
}

function requestOf(shown: JsonObject, about: JsonObject): Request {
  const said = parseObject(textIn(shown.text) ?? '') ?? {};
  const at = countIn(shown.ts);
  const says = Object.fromEntries(REQUEST.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]])));
  return { at, index: indexOf(shown), says, model: modelOf(objectIn(shown.modelInfo) ?? {}) ?? modelAt(at, about) };
}

/** -1 before the first message. */
function indexOf({ conversationHistoryIndex: index }: JsonObject): number | undefined {
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= -1 ? index : undefined;
}

/** The answer that a request gave: after the next message, or the first one that is later, else the last message. */
function answerTo({ index, at }: Request, messages: readonly JsonObject[]): number | undefined {
  if (messages.length === 0) return undefined;
  if (index !== undefined) return Math.min(index + 2, messages.length - 1);
  if (at === undefined || messages.some(({ ts }) => countIn(ts) === undefined)) return undefined;
  const answer = messages.findIndex(({ role, ts }) => role === 'assistant' && Number(ts) >= at);
  return answer < 0 ? messages.length - 1 : answer;
}

function recordOf({ at, says, model }: Request, answer: string | undefined): JsonObject {
  return { request: says, ...defined({ answer, at, model }) };
}

/** When each message was sent, or began to be shown. */
function timesOf(messages: readonly JsonObject[], shown: readonly JsonObject[]): readonly (number | undefined)[] {
  const first = new Map<string, number>();
  for (const one of shown) {
    const index = indexOf(one);
    const at = countIn(one.ts);
    if (index === undefined || at === undefined) continue;
    const key = `${one.say === 'api_req_started' ? 'user' : 'assistant'} ${index + 1}`;
    first.set(key, first.get(key) ?? at);
  }
  return messages.map(({ ts, role }, index) => countIn(ts) ?? first.get(`${textIn(role) ?? ''} ${index}`));
}

function modelOf({ modelId, providerId }: JsonObject): JsonObject | undefined {
  return nonEmpty(modelId) === undefined ? undefined : { modelId, ...defined({ providerId: nonEmpty(providerId) }) };
}

/** The model that was chosen last before. */
function modelAt(at: number | undefined, about: JsonObject): JsonObject | undefined {
  if (at === undefined) return undefined;
  const used = objectsIn(about.model_usage).findLast(({ ts }) => typeof ts === 'number' && ts <= at);
  return modelOf({ modelId: used?.model_id, providerId: used?.model_provider_id });
}
