// Which passages a model may not be shown: those of files that it may not read, or not unasked, and those of sessions
// that name such a file, since they may quote it: a program may have printed it, or a rule may be newer than they are.
import { join, resolve } from 'node:path';
import { isInside } from '../../platform/files/inside.ts';
import { kept } from '../../platform/once.ts';
import type { FoundPassage } from '../../retrieval/retrieve.ts';
import type { Policy } from '../../tools/decision.ts';
import type { App } from '../app.ts';
import { mayRead } from './may-read.ts';

/** Texts that may be a path, without the number of a line after it. */
const WORD = /[^\s"'`()<>[\]{}|;,:=*]+/g;
const MAX_PATH_CHARACTERS = 1_024;

export function hiddenBy(
  { paths }: Pick<App, 'paths'>,
  policy: Policy,
): (passage: Pick<FoundPassage, 'kind' | 'place' | 'project' | 'about' | 'text'>) => boolean {
  const decided = new Map<string, boolean>();
  const isHidden = (path: string) => kept(decided, path, () => mayRead(policy, path) !== 'allow');
  return ({ kind, place, project = paths.project, about, text }) => {
    if (kind === 'file') return isHidden(join(project, place.slice(0, place.lastIndexOf(':'))));
    // A path outside of the project is asked about by default: it says nothing of what a rule hides.
    return [...wordsIn(about), ...wordsIn(text).filter((word) => /[/.]/.test(word))]
      .map((word) => resolve(project, word))
      .some((path) => path !== paths.project && isInside(paths.project, path) && isHidden(path));
  };
}

function wordsIn(text: string): string[] {
  const words = (text.match(WORD) ?? []).filter((word) => word.length <= MAX_PATH_CHARACTERS);
  // The end of a sentence is not part of a path.
  return [...new Set(words.map((word) => (word.endsWith('.') ? word.slice(0, -1) : word)))];
}
