// A message of opencode as records: a prompt is one with its parts; an answer is one at its beginning, one for each
// part, and one at its end. An exported session has whole messages instead, which say the same.
import type { JsonObject } from '../agent.ts';
import { objectIn } from '../members.ts';

interface OpencodeMessage {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** What an answer has only when it is over, and is changed until then. */
const AT_THE_END = ['tokens', 'cost', 'finish', 'error', 'structured'];

/**
 * The records of a message. Of one that the program may still work on, those that do not change any more; `isWhole` is
 * false then.
 */
export function recordsOfMessage(
  { info, parts }: OpencodeMessage,
  mayGrow: boolean,
): { readonly records: readonly JsonObject[]; readonly isWhole: boolean } {
  const stable = parts.map(withoutCompacted);
  if (info.role === 'user') {
    const isWritten = !mayGrow || parts.length > 0;
    return { records: isWritten ? [{ info: withoutDiffs(info), parts: stable }] : [], isWhole: isWritten };
  }
  // A summary is said as a whole.
  if (info.role !== 'assistant' || info.summary === true) {
    return { records: mayGrow ? [] : [{ info: withoutHeaders(info), parts: stable }], isWhole: !mayGrow };
  }
  const unfinished = mayGrow ? stable.findIndex(isUnfinished) : -1;
  const finished = unfinished < 0 ? stable : stable.slice(0, unfinished);
  const { time, ...rest } = info;
  const begun = Object.fromEntries(Object.entries(rest).filter(([name]) => !AT_THE_END.includes(name)));
  const records: JsonObject[] = [{ info: { ...begun, time: { created: objectIn(time)?.created } } }];
  for (const part of finished) records.push({ message: info.id, part });
  if (!mayGrow) {
    const ended = Object.entries(withoutHeaders(info)).filter(([name]) => AT_THE_END.includes(name));
    records.push({ ended: { id: info.id, time, ...Object.fromEntries(ended) } });
  }
  return { records, isWhole: !mayGrow };
}

/** Whether the program says that it works on the message no more. */
export function isStopped({ role, time, error }: JsonObject): boolean {
  return role === 'user' ? false : objectIn(error) !== undefined || objectIn(time)?.completed !== undefined;
}

function isUnfinished({ type, state, time }: JsonObject): boolean {
  if (type === 'tool') {
    const status = objectIn(state)?.status;
    return status === 'pending' || status === 'running';
  }
  const span = objectIn(time);
  return (type === 'text' || type === 'reasoning') && span !== undefined && span.end === undefined;
}

/** Whole files before and after a turn, which the program adds when it is over. */
function withoutDiffs({ summary: _, ...info }: JsonObject): JsonObject {
  return info;
}

/** The program marks old results that it does not send any more. */
function withoutCompacted(part: JsonObject): JsonObject {
  const state = objectIn(part.state);
  const time = objectIn(state?.time);
  if (time?.compacted === undefined) return part;
  const { compacted: _, ...rest } = time;
  return { ...part, state: { ...state, time: rest } };
}

/** Headers of a response may hold secrets. */
function withoutHeaders(info: JsonObject): JsonObject {
  const error = objectIn(info.error);
  const data = objectIn(error?.data);
  if (data?.responseHeaders === undefined) return info;
  const { responseHeaders: _, ...rest } = data;
  return { ...info, error: { ...error, data: rest } };
}
