// What is typed and attached in a session and not sent yet. The text is kept in this browser until it is sent, that of
// an encrypted session and images for as long as the page is open; none goes with a view that is left.
import { useEffect, useState } from 'preact/hooks';
import type { Asset } from '../api/types.ts';

interface PromptDraft {
  readonly text: string;
  readonly images: readonly Asset[];
}

const CHANGED = 'ollm:draft';
const drafts = new Map<string, PromptDraft>();
/** Sessions of which nothing is stored in this browser. */
const unstored = new Set<string>();

/** The draft of a session as it is now. */
export function draftOf(key: string): PromptDraft {
  return drafts.get(key) ?? { text: localStorage.getItem(nameOf(key)) ?? '', images: [] };
}

/** What is typed in an encrypted session is not stored in the open. */
export function keepInMemory(key: string): void {
  unstored.add(key);
  localStorage.removeItem(nameOf(key));
}

/** Changes the draft of a session, wherever it is shown. */
export function changeDraft(key: string, change: (old: PromptDraft) => Partial<PromptDraft>): void {
  const old = draftOf(key);
  const draft = { ...old, ...change(old) };
  drafts.set(key, draft);
  try {
    if (draft.text === '' || unstored.has(key)) localStorage.removeItem(nameOf(key));
    else localStorage.setItem(nameOf(key), draft.text);
  } catch {
    // The browser keeps no more: the draft is there for as long as the page is.
  }
  dispatchEvent(new Event(CHANGED));
}

/** Puts a text that was sent already in front of what is typed. */
export function giveBack(key: string, text: string): void {
  if (text !== '') changeDraft(key, (old) => ({ text: old.text === '' ? text : `${text}\n\n${old.text}` }));
}

/** Takes what was sent off the draft; what was typed and attached meanwhile stays. */
export function takeSent(key: string, sent: PromptDraft): void {
  changeDraft(key, (old) => ({
    text: old.text.startsWith(sent.text) ? old.text.slice(sent.text.length).trimStart() : old.text,
    images: old.images.filter((image) => !sent.images.includes(image)),
  }));
}

export function useDraft(key: string): PromptDraft {
  const [draft, setDraft] = useState(() => draftOf(key));
  useEffect(() => {
    const update = (): void => setDraft(draftOf(key));
    update();
    addEventListener(CHANGED, update);
    return () => removeEventListener(CHANGED, update);
  }, [key]);
  return draft;
}

function nameOf(key: string): string {
  return `draft ${key}`;
}
