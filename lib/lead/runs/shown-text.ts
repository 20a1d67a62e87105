// The text that an agent showed, compared with its file: the texts of a turn that was cut off may be in no file.
import { isObject } from '../../platform/json.ts';

type Kind = 'text' | 'thinking';

interface UnstoredText {
  readonly kind: Kind;
  readonly text: string;
}

const MOST = 64 * 1024;

export class ShownText {
  /** Pieces of one answer, up to a call. */
  #shown: { kind: Kind; text: string }[] = [];
  #isCut = true;
  #stored = '';

  add(kind: Kind, text: string): void {
    const last = this.#shown.at(-1);
    if (this.#isCut || last?.kind !== kind) this.#shown.push({ kind, text });
    else if (last.text.length < MOST) last.text += text;
    this.#isCut = false;
  }

  /** A call comes: the next words are another text. */
  cut(): void {
    this.#isCut = true;
  }

  /** The data of a message of the file. */
  see({ role, parts }: { readonly role?: unknown; readonly parts?: unknown }): void {
    if (role !== 'assistant' || !Array.isArray(parts)) return;
    for (const part of parts) if (isObject(part) && typeof part.text === 'string') this.#stored += `${part.text}\n`;
  }

  unstored(): readonly UnstoredText[] {
    return this.#shown.flatMap(({ kind, text }) => {
      const said = text.slice(0, MOST).toWellFormed();
      return said.trim() === '' || this.#stored.includes(said.trim()) ? [] : [{ kind, text: said }];
    });
  }
}
