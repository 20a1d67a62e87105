// The text and attachments of a session that are not sent yet. The text is kept in this browser until then, that of
// an encrypted session and images for as long as the page is open; none goes with a view that is left.
import { tellChanged, useChanging } from '../api/changing.ts';
import type { Asset } from '../api/types.ts';
import { store, storedJson } from './stored.ts';

/** An attached image. Its content is kept under its hash. */
export type DraftImage = Pick<Asset, 'hash' | 'originalName'>;

interface PromptDraft {
  readonly text: string;
  readonly images: readonly DraftImage[];
  /** The prompt that this is said in the place of. */
  readonly instead?: ReplacedPrompt | undefined;
}

interface ReplacedPrompt {
  readonly seq: number;
  /** How it reads now. */
  readonly text: string;
  /** The text of the composer before that. */
  readonly before: string;
}

const CHANGED = 'ollm:draft';
const drafts = new Map<string, PromptDraft>();
/** Sessions of which nothing is stored in this browser. */
const unstored = new Set<string>();

/** The draft of a session as it is now. */
export function draftOf(key: string): PromptDraft {
  const stored = () => ({
    text: localStorage.getItem(nameOf(key)) ?? '',
    images: [],
    instead: storedJson<ReplacedPrompt>(localStorage, insteadOf(key)),
  });
  return drafts.get(key) ?? stored();
}

/** The draft of an encrypted session is not stored in the clear. */
export function keepInMemory(key: string): void {
  unstored.add(key);
  for (const name of [nameOf(key), insteadOf(key)]) localStorage.removeItem(name);
}

/** Changes the draft of a session, wherever it is shown. */
export function changeDraft(key: string, change: (old: PromptDraft) => Partial<PromptDraft>): void {
  const old = draftOf(key);
  const draft = { ...old, ...change(old) };
  drafts.set(key, draft);
  try {
    const isKept = draft.text !== '' && !unstored.has(key);
    store(localStorage, nameOf(key), isKept ? draft.text : undefined);
    store(localStorage, insteadOf(key), isKept && draft.instead ? JSON.stringify(draft.instead) : undefined);
  } catch {
    // The browser keeps no more: the draft is there for as long as the page is.
  }
  tellChanged(CHANGED);
}

/** Takes a prompt up to be said in another way. The text in the composer is put aside until then. */
export function replacePrompt(
  key: string,
  { seq, text, images }: Omit<PromptDraft, 'instead'> & { seq: number },
): void {
  changeDraft(key, (old) => ({ text, images, instead: { seq, text, before: old.instead?.before ?? old.text } }));
}

/** Leaves the prompt as it is. */
export function keepPrompt(key: string): void {
  changeDraft(key, ({ instead }) => ({ text: instead?.before ?? '', images: [], instead: undefined }));
}

/** Puts a text that was sent already before the draft. */
export function giveBack(key: string, text: string): void {
  if (text !== '') changeDraft(key, (old) => ({ text: old.text === '' ? text : `${text}\n\n${old.text}` }));
}

/** Removes the sent part from the draft; later text and attachments stay. */
export function takeSent(key: string, sent: PromptDraft): void {
  changeDraft(key, (old) => {
    const rest = old.text.startsWith(sent.text) ? old.text.slice(sent.text.length).trimStart() : old.text;
    return {
      text: [sent.instead?.before ?? '', rest].filter((text) => text !== '').join('\n\n'),
      images: old.images.filter((image) => !sent.images.includes(image)),
      instead: undefined,
    };
  });
}

export function useDraft(key: string): PromptDraft {
  return useChanging(CHANGED, () => draftOf(key), [key]);
}

function nameOf(key: string): string {
  return `draft ${key}`;
}

function insteadOf(key: string): string {
  return `instead ${key}`;
}
