// What went wrong lately, for a model that is to help with it: failures in our own log, and calls of tools that failed
// in the last session of this project. Texts of programs and servers are among it, so none of it is ever trusted.
import { excerpt } from '../../display/excerpt.ts';
import { isSystemError, unless } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { readFile } from '../../platform/files/io.ts';
import { parseObject } from '../../platform/json.ts';
import type { App } from '../app.ts';
import { newestEvents } from '../journals/read-journal.ts';
import { listSessions } from '../list/list-sessions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_LOG_BYTES = 256 * 1024;
const MAX_LOG_LINES = 10;
const MAX_SESSIONS = 20;
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;
const MAX_CALLS = 5;
const MAX_CHARACTERS = 600;

/** The beginning of the part on calls. No line of the part before it begins like that. */
const CALLS = 'Calls that failed in the last session of this project';

/** Undefined if there was nothing. */
export async function recentErrors(app: App): Promise<string | undefined> {
  return joined([logErrors(app), await failedCalls(app)]);
}

/** Recent errors with the log as it is now. The calls stay: those of the open session are in the conversation. */
export function renewedErrors(app: App, before: string | undefined): string | undefined {
  const calls = before?.match(new RegExp(`^${CALLS}[^]*`, 'm'))?.[0];
  return joined([logErrors(app), calls]);
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join('\n\n');
}

function logErrors({ fileSystem, paths, clock }: App): string | undefined {
  const since = clock.now() - DAY_MS;
  const lines = (unless(isSystemError, () => tailOf({ fileSystem, paths })) ?? [])
    .flatMap(parsed)
    .filter(({ level, time }) => level === 'error' && Date.parse(time) >= since)
    .slice(-MAX_LOG_LINES)
    .map(({ time, service, message }) => cut(`- ${time} ${service}: ${message}`));
  return lines.length === 0 ? undefined : `Errors in the log of ollm in the last day:\n${lines.join('\n')}`;
}

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly service: string;
  readonly message: string;
}

/** Empty where the first line is cut, or another process is writing the last one. */
function parsed(line: string): LogLine[] {
  const { level, time, service, message } = parseObject(line) ?? {};
  const isOne = [level, time, service, message].every((member) => typeof member === 'string');
  return isOne ? [{ level, time, service, message } as LogLine] : [];
}

function tailOf({ fileSystem, paths }: Pick<App, 'fileSystem' | 'paths'>): string[] {
  const size = fileSystem.stat(paths.log)?.size;
  if (size === undefined) return [];
  const bytes = readFile(fileSystem, paths.log, { from: size - MAX_LOG_BYTES });
  return new TextDecoder().decode(bytes).split('\n');
}

/** Calls of the newest session that began in this project and can be read without a key. */
async function failedCalls(app: App): Promise<string | undefined> {
  const last = (await listSessions(app, { limit: MAX_SESSIONS })).find(
    ({ project, problem }) => problem === undefined && project !== undefined && isInside(app.paths.project, project),
  );
  if (last === undefined) return undefined;
  const calls = await failuresOf(app, last.id);
  if (calls.length === 0) return undefined;
  return `${CALLS} (${last.modified}):\n${calls.join('\n')}`;
}

async function failuresOf({ store }: App, id: string): Promise<string[]> {
  const failures: { readonly callId: unknown; readonly text: string; name?: string }[] = [];
  for await (const { type, data } of newestEvents(store, id, { maxBytes: MAX_JOURNAL_BYTES })) {
    const hasRoom = failures.length < MAX_CALLS;
    if (!hasRoom && failures.every(({ name }) => name !== undefined)) break;
    if (type === 'tool.finished' && hasRoom && ['error', 'timeout'].includes(String(data.status))) {
      const { llmContent } = (data.result ?? {}) as { llmContent?: unknown };
      failures.push({ callId: data.callId, text: String(llmContent ?? '') });
    } else if (type === 'tool.requested') {
      const failure = failures.find(({ callId }) => callId === data.callId);
      if (failure !== undefined) failure.name ??= `${data.name} ${JSON.stringify(data.args)}`;
    }
  }
  return failures.reverse().map(({ name = 'a tool', text }) => `- ${cut(name)}: ${cut(text)}`);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return excerpt(line, MAX_CHARACTERS);
}
