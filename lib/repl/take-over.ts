// Asks a server of the same home for a session that it holds: the server gives up an idle session at once; if a turn
// runs in it, its messages are shown until the turn has ended.
import type { App } from '../app/app.ts';
import { sanitize } from '../display/sanitize.ts';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { HandOver } from '../host/port/sessions.ts';
import { type Announced, announcedServer } from '../host/server-file.ts';
import { eachEvent, firstEvent } from '../journal/reading/outcomes.ts';
import type { Anchor, Holder, SessionEvent } from '../journal/types.ts';
import { onAbort, waitFor } from '../platform/waiting.ts';
import { ownFetch } from '../server/own-fetch.ts';
import { tokenOf } from '../server/token.ts';

interface TakeOverOptions {
  /** Shows a sentence. */
  readonly say: (text: string) => void;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** A server that does not answer is as one that is not there. */
const ANSWER_MS = 5_000;
/** Shorter than what a connection waits for its answer: a longer turn is asked about again. */
const WAIT_MS = 120_000;
/** How long the last messages may take to be read. */
const SHOWN_MS = 2_000;

/**
 * Resolves once the session can be opened. `locked`: why it could not be.
 * @throws `locked` if no server of ollm holds it or the server cannot be asked; OllmError INTERRUPTED
 */
export async function takeOver(app: App, locked: OllmError, { say, signal }: TakeOverOptions): Promise<void> {
  const { id, holder } = locked.data as { readonly id: string; readonly holder?: Holder };
  const server = holder?.pid === undefined ? undefined : announcedServer(app, holder.pid);
  if (server === undefined) throw locked;
  const ask = (wait: boolean, limit: AbortSignal) => askFor(app, server, { id, wait, limit, locked });
  // Before it is asked: the turn may end before its events are followed.
  const end = await endOf(app, id);
  const answer = await ask(false, AbortSignal.timeout(ANSWER_MS));
  if (answer.kind === 'free') return;
  const { kind, since, queued } = answer.activity;
  const does = kind === 'waiting' ? 'waits for an answer to a question' : 'runs';
  const behind = queued === 0 ? '' : ` What waits behind it (${queued}) continues when this REPL has ended.`;
  say(
    `A turn that began at ${since} ${does} in the server at ${server.address}. The session opens at its end.${behind}`,
  );
  const following = new AbortController();
  const stopListening = onAbort(signal, () => following.abort());
  const shown = showAnswers(app, id, { end, say, signal: following.signal });
  try {
    for (;;) {
      if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped. The session is still with the server.');
      const limit = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
      const next = await ask(true, limit).catch((error: unknown) => {
        if (limit.aborted) return undefined;
        throw error;
      });
      if (next?.kind !== 'free') continue;
      await waitFor(shown, { timeoutMs: SHOWN_MS });
      return;
    }
  } finally {
    stopListening();
    following.abort();
    await shown;
  }
}

interface Asking {
  readonly id: string;
  readonly wait: boolean;
  readonly limit: AbortSignal;
  readonly locked: OllmError;
}

async function askFor(app: App, server: Announced, { id, wait, limit, locked }: Asking): Promise<HandOver> {
  const { address } = server;
  const unanswered = (why: string, cause?: unknown) =>
    new OllmError(locked.code, `${locked.message} It is a server, at ${address}, which ${why}.`, {
      hint: locked.hint ?? 'Stop the server, or continue there.',
      data: locked.data,
      cause,
    });
  const token = tokenOf(app, server);
  if (token === undefined) throw unanswered('cannot be asked without its token');
  try {
    const fetch = await ownFetch(server);
    const response = await fetch(`${address}/api/llm/sessions/${id}/hand-over`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ wait }),
      redirect: 'error',
      signal: limit,
    });
    const body = (await response.json()) as { readonly success?: boolean; readonly data?: HandOver };
    if (body.success === true && body.data !== undefined) return body.data;
    throw unanswered(`does not give it up (${response.status})`);
  } catch (error) {
    throw isOllmError(error) ? error : unanswered('does not answer', error);
  }
}

/** Where the journal ends. */
interface End {
  /** Undefined if nothing is in it. */
  readonly after: Anchor | undefined;
}

/** Undefined if the messages cannot be read, such as in a sealed journal. */
async function endOf(app: App, id: string): Promise<End | undefined> {
  try {
    using reader = app.store.openReader(id);
    if ((await reader.sealed()) !== undefined) return undefined;
    return { after: (await firstEvent(reader.backwards()))?.position };
  } catch (error) {
    notShown(app, id, error);
    return undefined;
  }
}

/** Shows the model's messages until the server closes the session. Never rejects: they are only shown. */
async function showAnswers(
  app: App,
  id: string,
  { end, say, signal }: { readonly end: End | undefined } & TakeOverOptions,
): Promise<void> {
  if (end === undefined) return;
  try {
    using reader = app.store.openReader(id);
    for await (const event of eachEvent(reader.follow({ ...end, signal }))) {
      say(saidIn(event));
      if (event.type === 'session.closed') return;
    }
  } catch (error) {
    notShown(app, id, error);
  }
}

function notShown(app: App, id: string, error: unknown): void {
  app.log.warn({ service: 'repl', operation: 'follow', sessionId: id, error }, 'A turn could not be shown');
}

function saidIn({ type, data }: SessionEvent): string {
  if (type !== 'message.added' || data.role !== 'assistant' || !Array.isArray(data.parts)) return '';
  const texts = (data.parts as readonly { readonly type: string; readonly text?: string }[]).map(
    ({ type: kind, text = '' }) => (kind === 'text' ? text : ''),
  );
  return sanitize(texts.join('')).trim();
}
