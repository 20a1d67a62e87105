// The changes that the calls of a session made to one file, each with the prompt, the model and the decision.
import { posix } from 'node:path';
import { changesOfCall } from '../../blame/call-changes.ts';
import type { WrittenChange } from '../../blame/match-lines.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { EventData, OllmEvent } from '../../events/index.ts';
import { timeOf } from '../../events/time-of.ts';
import type { EventReader } from '../../journal/types.ts';
import { isOnActiveBranch, moveTo, noBranches } from '../../projections/branches.ts';
import type { ParentPrompt } from './parent-prompt.ts';

/** A call that changed the file. */
export interface BlamedCall {
  /** `agent:id`. */
  readonly session: string;
  readonly callId: string;
  /** seq of its request. */
  readonly seq: number;
  readonly turn: number | undefined;
  readonly tool: string;
  /** The file, as the call named it. */
  readonly path: string;
  readonly model: string | undefined;
  /** RFC 3339; undefined where the source has no time. */
  readonly at: string | undefined;
  /** The prompt before it, whole. */
  readonly prompt: string | undefined;
  readonly decision: Pick<EventData<'tool.decided'>, 'by' | 'rule'> | undefined;
  /** The session that began it, where it is a subagent, with the prompt there. */
  readonly parent?: ParentPrompt | undefined;
}

export interface BlamedFile {
  /** Absolute. */
  readonly path: string;
  /** Paths from the root of the repository on, also earlier ones. */
  readonly names: ReadonlySet<string>;
}

interface Open {
  readonly request: Extract<OllmEvent, { type: 'tool.requested' }>;
  readonly prompt: string | undefined;
  readonly model: string | undefined;
  decided?: EventData<'tool.decided'>;
}

const MAX_OPEN_CALLS = 1_000;

interface ChangesRequest {
  /** `agent:id`. */
  readonly session: string;
  /** Default: every file. */
  readonly file?: BlamedFile | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws OllmError as the reader */
export async function changesInSession(
  reader: EventReader,
  { session, file, signal }: ChangesRequest,
): Promise<WrittenChange<BlamedCall>[]> {
  const changes: (WrittenChange<BlamedCall> & { readonly seq: number })[] = [];
  const open = new Map<string, Open>();
  const branches = noBranches();
  let cwd: string | undefined;
  let prompt: string | undefined;
  let model: string | undefined;
  for await (const batch of reader.outcomes({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind !== 'event') continue;
      const decoded = decodeEvent(outcome.event);
      if (decoded.kind !== 'known') continue;
      const { event } = decoded;
      switch (event.type) {
        case 'session.created':
          ({ cwd, model } = event.data);
          break;
        case 'model.changed':
          ({ model } = event.data);
          break;
        case 'branch.moved':
          moveTo(branches, event.seq, event.data.head);
          break;
        case 'message.added': {
          const { role, parts, synthetic } = event.data;
          if (role === 'user' && synthetic !== true) {
            prompt = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
          } else if (role === 'assistant') model = event.data.model ?? model;
          break;
        }
        case 'tool.requested':
          for (const oldest of open.keys()) if (open.size >= MAX_OPEN_CALLS) open.delete(oldest);
          open.set(event.data.callId, { request: event, prompt, model });
          break;
        case 'tool.decided': {
          const call = open.get(event.data.callId);
          if (call !== undefined) call.decided = event.data;
          break;
        }
        case 'tool.finished': {
          const call = open.get(event.data.callId);
          open.delete(event.data.callId);
          if (call === undefined || event.data.status !== 'ok') break;
          const { data, seq, turn } = call.request;
          const args = call.decided?.args ?? data.args;
          const at = timeOf(call.request);
          const { by, rule } = call.decided ?? {};
          const directory = workDirectoryOf(args) ?? cwd;
          for (const { path, hunks } of changesOfCall(data.name, args)) {
            if (hunks.length === 0 || (file !== undefined && !isOfFile(path, { cwd: directory, file }))) continue;
            changes.push({
              ...{ seq, session, hunks, atMs: at === undefined ? undefined : Date.parse(at) },
              call: {
                ...{ session, callId: data.callId, seq, turn, tool: data.name, path, at },
                ...{ prompt: call.prompt, model: call.model, decision: by === undefined ? undefined : { by, rule } },
              },
              isUnsure: call.decided?.args !== undefined,
            });
          }
          break;
        }
      }
    }
  }
  return changes.map(({ seq, ...change }) => ({
    ...change,
    isUnsure: change.isUnsure === true || !isOnActiveBranch(branches, seq),
  }));
}

function workDirectoryOf(args: unknown): string | undefined {
  const { workdir } = args as { readonly workdir?: unknown };
  return typeof workdir === 'string' ? workdir : undefined;
}

/** In another clone the root is another one: the names from there on are compared. */
function isOfFile(
  path: string,
  { cwd, file }: { readonly cwd: string | undefined; readonly file: BlamedFile },
): boolean {
  const written = path.replaceAll('\\', '/');
  const isAbsolute = /^(?:\/|[A-Za-z]:\/)/.test(written);
  const whole = posix.normalize(isAbsolute || cwd === undefined ? written : `${cwd.replaceAll('\\', '/')}/${written}`);
  return whole === file.path || [...file.names].some((name) => whole === name || whole.endsWith(`/${name}`));
}
