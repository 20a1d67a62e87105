// The text of a message under way, for a subscriber that comes in the middle of it.
import type { SessionEvent } from '../../journal/types.ts';
import type { HostSignal } from '../port/followers.ts';

export class LiveText {
  #promptId = '';
  #text: string[] = [];
  #reasoning: string[] = [];

  /** The text as JSON; undefined if no message is under way. */
  read(sessionId: string): string | undefined {
    if (this.#text.length === 0 && this.#reasoning.length === 0) return undefined;
    this.#text = [this.#text.join('')];
    this.#reasoning = [this.#reasoning.join('')];
    const [text = ''] = this.#text;
    const [reasoning = ''] = this.#reasoning;
    return JSON.stringify({ sessionId, promptId: this.#promptId, text, reasoning });
  }

  hear(passing: HostSignal): void {
    if (passing.type !== 'turn') return;
    const { type, content } = passing.signal as { readonly type: string; readonly content?: string };
    if (type === 'retry') this.#clear();
    if (content === undefined || (type !== 'delta' && type !== 'reasoning')) return;
    this.#promptId = passing.promptId;
    (type === 'delta' ? this.#text : this.#reasoning).push(content);
  }

  /** A stored message is no longer under way. */
  see({ type, data }: SessionEvent): void {
    if (type === 'turn.ended' || (type === 'message.added' && data.role === 'assistant')) this.#clear();
  }

  #clear(): void {
    this.#text = [];
    this.#reasoning = [];
  }
}
