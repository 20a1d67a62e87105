// The content of a message or a result while it is read: its parts, and the bytes of its pictures.
import type { ImagePart, Part } from '../messages/index.ts';
import type { FoundImage } from './attachments.ts';
import type { Attachment } from './given.ts';
import { defined, saysSomething } from './members.ts';

export class Content {
  readonly parts: Part[] = [];
  readonly #attachments: Attachment[] = [];

  constructor(text?: string) {
    this.addText(text);
  }

  /** A text of nothing but white space is left out. */
  addText(text: string | undefined): void {
    if (saysSomething(text)) this.parts.push({ type: 'text', text });
  }

  /** `provider`: '' if it is unknown. `opaque`: the encrypted part. */
  addReasoning(provider: string, text: string | undefined, opaque?: string | undefined): void {
    if (text === undefined && opaque === undefined) return;
    this.parts.push({ type: 'reasoning', ...defined({ text, opaque, provider: provider || undefined }) });
  }

  /** False without a picture. */
  addImage(image: FoundImage | undefined): boolean {
    if (image === undefined) return false;
    this.parts.push(image.part);
    this.#attachments.push(image.attachment);
    return true;
  }

  get text(): string {
    return textOf(this.parts);
  }

  get images(): readonly ImagePart[] {
    return this.#attachments.length === 0 ? [] : this.parts.filter((part) => part.type === 'image');
  }

  /** The bytes that these parts name. */
  attachmentsOf(parts: readonly Part[]): readonly Attachment[] {
    if (this.#attachments.length === 0) return NONE;
    return this.#attachments.filter(({ blob }) => parts.some((part) => part.type === 'image' && part.blob === blob));
  }
}

const NONE: readonly Attachment[] = [];

/** The texts, one under the other. */
export function textOf(parts: readonly Part[]): string {
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text') return first.text;
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
