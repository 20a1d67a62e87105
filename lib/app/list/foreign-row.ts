// The row of a session of another program: from its directory and the catalogue, else from the ends of its file.
import { formatAddress } from '../../agents/address.ts';
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { type CataloguedSession, isOfFile } from '../../catalog/listed-sessions.ts';
import type { SourceFile } from '../../catalog/text-source.ts';
import { isOllmError, type OllmError } from '../../errors/index.ts';
import { BLANK_ROW, type SessionRow } from './session-row.ts';

export interface ForeignRow {
  readonly agent: Agent;
  readonly source: Source;
  readonly file: SourceFile | undefined;
  /** The catalogue's row of it. */
  readonly known: CataloguedSession | undefined;
}

/** `isUnread`: the row lacks what only a look into the file tells. */
export function foreignRow({ agent, source, file, known }: ForeignRow): {
  readonly row: SessionRow;
  readonly isUnread: boolean;
} {
  const { name } = agent;
  const { id } = source;
  const told = known === undefined ? BLANK_ROW : toldOf(name, known);
  const row = { ...told, address: formatAddress({ agent: name, id }), agent: name, id, bytes: file?.size };
  if (known !== undefined && known.state === 'here' && isOfFile(known, file)) return { row, isUnread: false };
  // The file has changed: the counts of the catalogue belong to an earlier state.
  const lastActivity = file && timeIn(Number(file.changedNs / 1_000_000n));
  return { row: { ...row, lastActivity, messageCount: undefined }, isUnread: true };
}

/** The row of a session whose source has vanished. */
export function vanishedRow(agent: Agent, known: CataloguedSession): SessionRow {
  return { ...rememberedRow(agent, known), gone: true };
}

/** The row of a session of which only the catalogue can be asked now. */
export function rememberedRow({ name }: Agent, known: CataloguedSession): SessionRow {
  const { id, size } = known;
  const address = formatAddress({ agent: name, id });
  return { ...toldOf(name, known), address, agent: name, id, bytes: size ?? undefined };
}

function toldOf(agent: string, known: CataloguedSession): SessionRow {
  const { programId, title, project, branch, remote, forkedFrom, model, started, lastActivity, messages, changed } =
    known;
  return {
    ...BLANK_ROW,
    programId: programId ?? undefined,
    title: title ?? undefined,
    project: project ?? undefined,
    branch: branch ?? undefined,
    remote: remote ?? undefined,
    parent: forkedFrom === null ? undefined : formatAddress({ agent, id: forkedFrom }),
    model: model ?? undefined,
    startTime: started === null ? undefined : new Date(started).toISOString(),
    // Where no record has a time, that of the file.
    lastActivity: timeIn(lastActivity ?? (changed === null ? undefined : changed / 1e6)),
    messageCount: messages ?? undefined,
  };
}

export function withHead(
  row: SessionRow,
  { agent, source }: Pick<ForeignRow, 'agent' | 'source'>,
  head: Head | OllmError,
): SessionRow {
  if (isOllmError(head)) return { ...row, problem: head.message };
  return {
    ...row,
    programId: source.ownId ?? head.printedId ?? row.programId,
    title: head.title ?? row.title,
    project: row.project ?? head.cwd,
    branch: head.branch ?? row.branch,
    remote: head.remote ?? row.remote,
    parent: head.forkedFrom === undefined ? row.parent : formatAddress({ agent: agent.name, id: head.forkedFrom }),
    model: head.model ?? row.model,
    startTime: timeIn(head.startedAt) ?? row.startTime,
    lastActivity: timeIn(head.lastActivity) ?? row.lastActivity,
  };
}

/** A record may hold any text. `time`: RFC 3339, or milliseconds. */
function timeIn(time: string | number | undefined): string | undefined {
  const ms = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
