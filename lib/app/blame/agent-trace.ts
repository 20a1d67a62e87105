// Blamed files as a record of Agent Trace: which lines of which file came from which conversation. Source: the
// specification of Agent Trace, 0.1.0. Only lines that a stored session wrote are in it: a line that is unknown is left
// out, and never called that of a person.
import { relative } from 'node:path';
import { sha256Of } from '../../session/identify.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';
import { gitState } from '../repository/git-state.ts';
import type { FileBlame, LineBlame } from './blame-file.ts';
import { addressOfCall } from './blame-text.ts';

/** The schema of this version wants `0.1` and its examples have `0.1.0`, which readers expect. */
const AGENT_TRACE_VERSION = '0.1.0';
/** Namespace of members that are not in the specification. */
const NAMESPACE = 'dev.ollm';

interface TraceRange {
  readonly start_line: number;
  readonly end_line: number;
  /** Hash of the lines with their line feeds. */
  readonly content_hash: string;
}

interface TraceConversation {
  readonly url: string;
  readonly contributor: { readonly type: 'ai' | 'mixed' | 'unknown'; readonly model_id?: string };
  readonly ranges: readonly TraceRange[];
}

interface TraceRecord {
  readonly version: string;
  readonly id: string;
  readonly timestamp: string;
  readonly vcs?: { readonly type: 'git'; readonly revision: string };
  readonly tool: { readonly name: string; readonly version: string };
  readonly files: readonly { readonly path: string; readonly conversations: readonly TraceConversation[] }[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface TraceOptions {
  /** The blamed revision. Default: HEAD, with uncommitted lines. */
  readonly rev?: string | undefined;
  /** Addresses of the sessions whose lines are in it. Default: all. */
  readonly sessions?: ReadonlySet<string> | undefined;
}

/** The record of these files. `certain` is `ai`; changed by the user is `mixed`; every other doubt is `unknown`. */
export function agentTrace(app: App, blamed: readonly FileBlame[], { rev, sessions }: TraceOptions = {}): TraceRecord {
  const root = blamed.find((one) => one.root !== undefined)?.root;
  const state = root === undefined ? undefined : gitState(app.fileSystem, root);
  const revision = rev ?? state?.commit;
  const isUncommitted =
    rev === undefined && blamed.some(({ lines }) => lines.some(({ commit }) => commit === undefined));
  return {
    version: AGENT_TRACE_VERSION,
    id: app.ids.uuid(),
    timestamp: new Date(app.clock.now()).toISOString(),
    ...(revision !== undefined && { vcs: { type: 'git', revision } }),
    tool: { name: 'ollm', version: VERSION },
    files: blamed.flatMap(({ path, lines, root: own }) => {
      const conversations = conversationsOf(lines, sessions);
      return conversations.length === 0 ? [] : [{ path: relative(own ?? app.cwd, path), conversations }];
    }),
    ...(isUncommitted && { metadata: { [NAMESPACE]: { uncommitted: true } } }),
  };
}

function conversationsOf(
  lines: readonly LineBlame[],
  sessions: ReadonlySet<string> | undefined,
): readonly TraceConversation[] {
  const known = lines.filter(({ call }) => call !== undefined && (sessions?.has(call.session) ?? true));
  const groups = Map.groupBy(known, ({ call, class: found, why }) =>
    JSON.stringify([addressOfCall(call!), contributorType({ class: found, why })]),
  );
  return [...groups.values()].map((group) => {
    const [{ call, class: found, why }] = group as [LineBlame];
    return {
      url: `ollm:${addressOfCall(call!).replace(':', '/')}`,
      contributor: {
        type: contributorType({ class: found, why }),
        ...(call!.model !== undefined && call!.model !== '' && { model_id: call!.model.slice(0, 250) }),
      },
      ranges: rangesOf(group),
    };
  });
}

function contributorType({ class: found, why }: Pick<LineBlame, 'class' | 'why'>): 'ai' | 'mixed' | 'unknown' {
  if (found === 'certain') return 'ai';
  return why === 'unsure' ? 'mixed' : 'unknown';
}

/** Lines next to each other are one range. */
function rangesOf(lines: readonly LineBlame[]): readonly TraceRange[] {
  const runs: LineBlame[][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.at(-1)?.line === line.line - 1) last.push(line);
    else runs.push([line]);
  }
  return runs.map((run) => ({
    start_line: run[0]!.line,
    end_line: run.at(-1)!.line,
    content_hash: `sha256:${sha256Of(run.map(({ text }) => `${text}\n`).join(''))}`,
  }));
}
