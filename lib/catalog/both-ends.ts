// A long text as the catalogue keeps it: its beginning and its end, without secrets and without the colours of a
// terminal, whose codes would be a part of the next word. A secret that a cut goes through would no longer look like
// one, so secrets are taken out of more than is kept.
import { stripVTControlCharacters } from 'node:util';

export type TakeOutSecrets = (text: string) => string;

/** Bytes after the beginning: longer than the longest token. A private key is known by its first line. */
const HEAD_MARGIN = 1024;
/** Bytes before the end: longer than the longest private key, whose last lines cannot be recognised by themselves. */
const TAIL_MARGIN = 4096;
const GAP = '\n…\n';

/** The text if it has at most `most` characters, else half of them from each end. */
export function bothEnds(original: string, most: number, clean: TakeOutSecrets): string {
  const text = original.includes('\x1b') ? stripVTControlCharacters(original) : original;
  if (text.length <= most + HEAD_MARGIN + TAIL_MARGIN) return cut(clean(text), most);
  const half = most / 2;
  const head = clean(text.slice(0, half + HEAD_MARGIN));
  const tail = clean(text.slice(-half - TAIL_MARGIN));
  return [
    head.slice(0, Math.min(half, head.length - HEAD_MARGIN)),
    GAP,
    tail.slice(-Math.min(half, tail.length - TAIL_MARGIN)),
  ]
    .join('')
    .toWellFormed();
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)}${GAP}${text.slice(-most / 2)}`.toWellFormed();
}
