// Where aider keeps its chats: in a file at the top of each project. It has no list of projects: those of sessions of
// other programs are looked at.
import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { defined } from '../members.ts';
import { timeOf } from '../times.ts';
import { STARTED } from './chat.ts';

export const HISTORY = '.aider.chat.history.md';
/** Digits of the hash of the path of a project. */
const PATH_DIGITS = 8;

/** Each one is the file. */
export function places({ projects = [] }: Surroundings): readonly string[] {
  return projects.map((project) => join(project, HISTORY));
}

/** The id is the time at which a chat began, and a mark of its project. */
export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  if (basename(place) !== HISTORY) return;
  const cwd = dirname(place);
  const mark = hash('sha256', cwd, 'hex').slice(0, PATH_DIGITS);
  const times = new Map<string, number>();
  for (const [chat, line] of looking.linesFrom(place, STARTED).entries()) {
    const began = line.slice(STARTED.length).trim();
    const digits = began.replace(/\D/g, '');
    const again = times.get(digits) ?? 0;
    times.set(digits, again + 1);
    const id = [digits, mark, ...(again === 0 ? [] : [String(again + 1)])].join('-');
    const more = defined({ startedAt: localTime(began) });
    yield { id, path: place, facts: { cwd, chat }, ...more };
  }
}

/** Without a zone: that of this machine. */
function localTime(text: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text) ? timeOf(text.replace(' ', 'T')) : undefined;
}
