// The prompt in the session that began a subagent: the subagent's own prompt is what a model wrote.
import { formatAddress } from '../../agents/address.ts';
import { isOllmError } from '../../errors/index.ts';
import { knownEvents } from '../../events/known-events.ts';
import { isPrompt } from '../../projections/message-pieces.ts';
import type { App } from '../app.ts';
import { findConversation } from '../find/find-session.ts';

interface SubagentSession {
  readonly agent: string;
  readonly id: string;
  /** Id of the session with the call. */
  readonly parent: string;
}

export interface ParentPrompt {
  /** `agent:id`. */
  readonly session: string;
  readonly prompt: string | undefined;
}

/** Undefined where the parent cannot be read, or has no call that began the session. */
export async function parentPrompt(
  app: App,
  { agent, id, parent }: SubagentSession,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ParentPrompt | undefined> {
  const session = formatAddress({ agent, id: parent });
  const names: readonly (string | undefined)[] = [id, formatAddress({ agent, id })];
  try {
    const { read } = await findConversation(app, session);
    return await read(async (reader) => {
      let prompt: string | undefined;
      for await (const { type, data } of knownEvents(reader.outcomes({ signal }))) {
        if (type === 'message.added' && isPrompt(data)) {
          prompt = data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
        }
        const isCall = type === 'tool.started' || type === 'tool.finished';
        if (isCall && data.subagent !== undefined && names.includes(data.subagent)) return { session, prompt };
      }
      return undefined;
    });
  } catch (error) {
    if (!isOllmError(error) || error.code === 'INTERRUPTED') throw error;
    return undefined;
  }
}
