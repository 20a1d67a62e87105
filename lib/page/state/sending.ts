// A prompt on its way to the journal: it is shown at the end until its event comes, and given back if it is refused.
import { useEffect, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import { giveBack } from './draft.ts';
import type { LiveState } from './live.ts';
import { PAGE, type Pages } from './pages.ts';
import { toolModeOf } from './tool-mode.ts';

/** The session that New began last: its prompt is shown before its journal is read. */
let begun: { readonly address: string; readonly text: string; isThere: boolean } | undefined;

export function noteBegun(address: string, text: string): void {
  begun = { address, text, isThere: false };
}

/** The prompt by which a session was just begun here. */
export function begunBy(address: string): string | undefined {
  return begun?.address === address ? begun.text : undefined;
}

/** A prompt on its way. */
export interface SentPrompt {
  /** It was not taken. */
  readonly onRefused: () => void;
}

/** The input of the next turn. */
interface NextTurn {
  readonly prompt?: string;
  readonly assets?: readonly string[];
  readonly answerer?: string;
  readonly model?: string;
  readonly thinkingMode?: string;
  readonly insteadOf?: number;
}

/** Sends a prompt, which is shown meanwhile. `agent`: it goes on with its own session. @throws ApiError */
export async function sendPrompt(
  address: string,
  onSend: (text: string) => SentPrompt,
  body: NextTurn,
  agent?: string,
): Promise<{ readonly sessionId: string }> {
  const sent = onSend(body.prompt ?? '');
  try {
    if (agent !== undefined) return await server.resumeWith({ parameters: { provider: agent, id: address }, body });
    const toolMode = toolModeOf(address);
    const whole = { ...body, ...(toolMode === undefined ? {} : { toolMode }) };
    return await server.takeTurn({ parameters: { id: address }, body: whole });
  } catch (error) {
    sent.onRefused();
    throw error;
  }
}

interface Sending {
  /** The text on its way. */
  readonly text: string | undefined;
  begin(text: string): SentPrompt;
}

export function useSending(address: string, pages: Pages, { queue, problem }: LiveState): Sending {
  const [sent, setSent] = useState<{ readonly text: string; readonly after: number } | undefined>(() =>
    begun?.address === address && !begun.isThere ? { text: begun.text, after: -1 } : undefined,
  );
  const isThere = sent !== undefined && hasPrompt(pages, sent.after);
  useEffect(() => {
    if (!isThere) return;
    setSent(undefined);
    if (begun?.address === address) begun.isThere = true;
  }, [isThere]);
  // Where the turn could not begin, the text is not lost.
  useEffect(() => {
    if (problem === undefined || sent === undefined) return;
    setSent(undefined);
    giveBack(address, sent.text);
  }, [problem]);
  const waits = sent !== undefined && queue.some(({ text }) => text === sent.text);
  return {
    text: isThere || waits ? undefined : sent?.text,
    begin(text) {
      setSent({ text, after: pages.head ?? -1 });
      return { onRefused: () => setSent(undefined) };
    },
  };
}

/** Whether a user said something after this event. */
function hasPrompt({ loaded, head }: Pages, after: number): boolean {
  if (head === undefined) return false;
  for (let page = Math.floor(head / PAGE); page >= Math.floor(Math.max(0, after) / PAGE); page -= 1) {
    const events = loaded.get(page)?.events ?? [];
    const isOne = events.some(({ seq, type, data }) => seq > after && type === 'message.added' && data.role === 'user');
    if (isOne) return true;
  }
  return false;
}
