// The sessions of one connection with an editor: each is a session of ollm in the directory that the editor names, with
// the MCP servers that it brings. Their journals are those of every other command.
import { isAbsolute } from 'node:path';
import type {
  ContentBlock,
  McpServer,
  PermissionOption,
  PromptResponse,
  RequestPermissionOutcome,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { concatMap, lastValueFrom, Subject } from 'rxjs';
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { listSessions } from '../app/list/list-sessions.ts';
import { switchMode } from '../app/policy/tool-mode.ts';
import { readTextFile } from '../app/repository/read-text-file.ts';
import type { OpenRequest } from '../app/sessions/open/open-session.ts';
import { exportItems } from '../app/sessions/read/export-session.ts';
import { approveTools, toolsToApprove } from '../app/tools/mcp.ts';
import { OllmError } from '../errors/index.ts';
import { surveyFold } from '../exporters/head-fold.ts';
import { ask } from '../lead/ask.ts';
import { Leader } from '../lead/leader.ts';
import { isOnActiveBranch } from '../projections/branches.ts';
import { replay } from '../projections/replay.ts';
import { nameOf } from '../projections/summary.ts';
import { MODE_WORDS, TOOL_MODES, type ToolMode } from '../tools/modes.ts';
import type { TurnSignal } from '../turn/signals.ts';
import { type AskClient, clientApprover, clientGoesOn, offersTools } from './permissions.ts';
import { turnInput } from './prompt.ts';
import { updatesOfEvent, updatesOfSignal } from './updates.ts';

/** The client, as a session speaks to it. */
interface ConnectedClient {
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  ask(
    sessionId: string,
    toolCall: ToolCallUpdate,
    options: readonly PermissionOption[],
  ): Promise<RequestPermissionOutcome>;
}

/** The directory of a session, and the MCP servers that the editor brings. */
export interface SessionPlaceRequest {
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
}

interface OpenedSession {
  readonly app: App;
  readonly leader: Leader;
  /** In a full session's place, the one that continues it. */
  readonly conversation: Conversation;
  /** The signals of the running turn. */
  turn: Subject<TurnSignal>;
  /** Stops the running turn. */
  running: AbortController | undefined;
  /** Whether the tools of its servers were asked about. */
  hasAskedForTools: boolean;
}

const PAGE = 100;
const MAX_SHOWN_BYTES = 1024 * 1024;
const SERVER_WAIT_MS = 3_000;

export class AcpSessions {
  readonly #client: ConnectedClient;
  readonly #appFor: (place: SessionPlaceRequest) => Promise<App>;
  readonly #open = new Map<string, OpenedSession>();

  /** `appFor`: makes the app of a session; the session closes it. */
  constructor(client: ConnectedClient, appFor: (place: SessionPlaceRequest) => Promise<App>) {
    this.#client = client;
    this.#appFor = appFor;
  }

  /** The id of a new session. @throws OllmError as `openSession` */
  async begin(place: SessionPlaceRequest): Promise<{ readonly sessionId: string; readonly modes: SessionModeState }> {
    const opened = await this.#openIn(place, { kind: 'new' });
    const { id } = opened.conversation.session;
    return { sessionId: id, modes: modesOf(opened) };
  }

  /** Opens a stored session. `shows`: its messages and calls are sent as updates. @throws OllmError as `openSession` */
  async resume(
    sessionId: string,
    place: SessionPlaceRequest,
    { shows }: { readonly shows: boolean },
  ): Promise<SessionModeState> {
    const known = this.#open.get(sessionId);
    const opened = known ?? (await this.#openIn(place, { kind: 'resume', reference: sessionId }));
    if (shows) await this.#tellHistory(sessionId, opened);
    return modesOf(opened);
  }

  /** Runs a turn. @throws OllmError: it failed; SESSION_BUSY: one runs */
  async prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<PromptResponse> {
    const opened = this.#known(sessionId);
    if (opened.running !== undefined) {
      throw new OllmError('SESSION_BUSY', 'A turn of this session runs.', { hint: 'Cancel it, or wait for its end.' });
    }
    const running = new AbortController();
    opened.running = running;
    opened.turn = new Subject<TurnSignal>();
    const { app, leader, turn } = opened;
    try {
      await this.#askForTools(sessionId, opened);
      const begin = async (conversation: Conversation) => ({ input: await turnInput(app, conversation, prompt) });
      const askClient = this.#asking(sessionId);
      const options = {
        signal: running.signal,
        approver: clientApprover(askClient, showing(app)),
        askToGoOn: clientGoesOn(askClient),
      };
      const tell = async (signal: TurnSignal): Promise<TurnSignal> => {
        for (const update of updatesOfSignal(signal, showing(app))) await this.#client.update(sessionId, update);
        return signal;
      };
      const told = lastValueFrom(turn.pipe(concatMap(tell)));
      leader.ask(app.ids.uuid(), begin, options).then(
        () => turn.complete(),
        (error: unknown) => turn.error(error),
      );
      const last = await told;
      await this.#tellTitle(sessionId, opened.conversation);
      return responseTo(last);
    } finally {
      // A client that is gone hears no more of the turn.
      running.abort();
      opened.running = undefined;
    }
  }

  cancel(sessionId: string): void {
    this.#open.get(sessionId)?.running?.abort();
  }

  /** @throws OllmError USAGE: no such mode; POLICY_DENIED: auto without a sandbox */
  async setMode(sessionId: string, modeId: string): Promise<void> {
    const { app, conversation } = this.#known(sessionId);
    const mode = TOOL_MODES.find((each) => each === modeId);
    if (mode === undefined) {
      throw new OllmError('USAGE', `There is no mode ${modeId}.`, { hint: `Modes: ${TOOL_MODES.join(', ')}.` });
    }
    await switchMode(app, conversation, mode);
    await this.#client.update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: mode });
  }

  async close(sessionId: string): Promise<void> {
    const opened = this.#open.get(sessionId);
    if (opened === undefined) return;
    this.#open.delete(sessionId);
    opened.running?.abort();
    await opened.leader.close({ reason: 'exit' });
    await opened.app.close();
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((id) => this.close(id)));
  }

  async #openIn(place: SessionPlaceRequest, request: OpenRequest): Promise<OpenedSession> {
    if (!isAbsolute(place.cwd)) throw new OllmError('USAGE', `${place.cwd} is not an absolute path.`);
    const app = await this.#appFor(place);
    try {
      const leader = await Leader.open(app, request, {
        perform: async (...asked) => ask(...asked),
        onSignal: (signal) => {
          if (signal.type === 'turn') opened.turn.next(signal.signal);
          if (signal.type === 'notice') this.#note(id, signal.text);
        },
      });
      const { id } = leader;
      const conversation = leader.conversation!;
      const opened: OpenedSession = {
        ...{ app, leader, turn: new Subject<TurnSignal>(), running: undefined },
        hasAskedForTools: place.mcpServers.length === 0,
        get conversation() {
          return leader.conversation ?? conversation;
        },
      };
      this.#open.set(id, opened);
      for (const notice of conversation.notices) this.#note(id, notice);
      if (conversation.choice.isStandIn) this.#note(id, conversation.choice.why);
      return opened;
    } catch (error) {
      await app.close();
      throw error;
    }
  }

  #known(sessionId: string): OpenedSession {
    const opened = this.#open.get(sessionId);
    if (opened !== undefined) return opened;
    throw new OllmError('SESSION_NOT_FOUND', `The session ${sessionId} is not open here.`, {
      hint: 'Load it with session/load first.',
    });
  }

  #asking(sessionId: string): AskClient {
    return (toolCall, options) => this.#client.ask(sessionId, toolCall, options);
  }

  /** After the answer to the request that opened the session: the client does not know it before. */
  #note(sessionId: string, text: string): void {
    const content = { type: 'text', text: `${text}\n` } as const;
    setImmediate(() => {
      this.#client.update(sessionId, { sessionUpdate: 'agent_thought_chunk', content }).catch(() => {});
    });
  }

  async #askForTools(sessionId: string, opened: OpenedSession): Promise<void> {
    if (opened.hasAskedForTools) return;
    opened.hasAskedForTools = true;
    const waiting = await toolsToApprove(opened.app, undefined, { waitMs: SERVER_WAIT_MS });
    for (const [server, tools] of Map.groupBy(waiting, ({ pending }) => pending.server)) {
      const names = tools.map(({ pending }) => pending.definition.name);
      const text = tools.map((tool) => tool.text).join('\n\n');
      if (await offersTools(this.#asking(sessionId), { server, names, text })) await approveTools(opened.app, tools);
    }
  }

  async #tellTitle(sessionId: string, { session }: Conversation): Promise<void> {
    const title = nameOf(session.states.summary);
    if (title === undefined) return;
    const updatedAt = session.states.summary.lastActivity || undefined;
    await this.#client.update(sessionId, { sessionUpdate: 'session_info_update', title, updatedAt });
  }

  async #tellHistory(sessionId: string, { app, conversation }: OpenedSession): Promise<void> {
    using reader = conversation.store.openReader(sessionId);
    const { branches } = (await replay(reader, { survey: surveyFold })).states.survey;
    for await (const batch of exportItems(reader, { format: 'json' }, undefined)) {
      for (const item of batch) {
        if (item.kind !== 'event' || !isOnActiveBranch(branches, item.event.seq)) continue;
        // Without the text before it: the file is another one by now.
        const updates = updatesOfEvent(item.event, { cwd: app.cwd });
        for (const update of updates) await this.#client.update(sessionId, update);
      }
    }
  }
}

/** Sessions of ollm, newest first. `cursor`: the answer before. @throws OllmError USAGE: not a cursor of this list */
export async function listedSessions(
  app: App,
  { cwd, cursor }: { readonly cwd?: string | null | undefined; readonly cursor?: string | null | undefined },
): Promise<{ readonly sessions: SessionInfo[]; readonly nextCursor?: string }> {
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) throw new OllmError('USAGE', `${cursor} is not a cursor of this list.`);
  const rows = await listSessions(app);
  const known = rows.flatMap((row): SessionInfo[] => {
    const place = row.project;
    if (place === undefined || (cwd && place !== cwd)) return [];
    return [{ sessionId: row.id, cwd: place, title: nameOf(row.summary) ?? null, updatedAt: row.lastActivity ?? null }];
  });
  const sessions = known.slice(from, from + PAGE);
  return { sessions, ...(from + PAGE < known.length && { nextCursor: String(from + PAGE) }) };
}

function showing(app: App) {
  return { cwd: app.cwd, readText: (path: string) => readTextFile(app.fileSystem, path, MAX_SHOWN_BYTES) };
}

function modesOf({ conversation }: OpenedSession): SessionModeState {
  const nameOfMode = (mode: ToolMode) => `${mode[0]!.toUpperCase()}${mode.slice(1)}`;
  const wordsOf = (mode: ToolMode) => MODE_WORDS[mode].replace(/^Mode \w+: /, '');
  return {
    currentModeId: conversation.state.mode,
    availableModes: TOOL_MODES.map((mode) => ({ id: mode, name: nameOfMode(mode), description: wordsOf(mode) })),
  };
}

/** @throws OllmError: the turn failed */
function responseTo(last: TurnSignal): PromptResponse {
  if (last.type === 'cancelled') return { stopReason: 'cancelled' };
  if (last.type === 'done') {
    if (last.incomplete === 'length') return { stopReason: 'max_tokens' };
    return { stopReason: last.incomplete === 'content-filter' ? 'refusal' : 'end_turn' };
  }
  if (last.type !== 'error') return { stopReason: 'end_turn' };
  if (last.error.code === 'LOOP_DETECTED') return { stopReason: 'max_turn_requests' };
  throw last.error;
}
