// The mark in a session that ollm wrote for a program: the source of the copy. It is in the file itself, so that the
// copy is known where no list of handovers is: in another home, and on another machine.
import type { CopyMark } from './agent.ts';
import { defined, objectIn, textIn } from './members.ts';
import { timeOf } from './times.ts';

const MOST_CHARACTERS = 300;
const MOST_SOURCES = 8;

/** Undefined for anything else: the file may have been changed. */
export function copyMarkIn(value: unknown, most = MOST_SOURCES): CopyMark | undefined {
  const { from, began, until, before } = objectIn(value) ?? {};
  const source = textIn(from) ?? '';
  if (source === '' || source.length > MOST_CHARACTERS || most === 0) return undefined;
  const members = { began: timeOf(textIn(began)), until: timeOf(textIn(until)), before: copyMarkIn(before, most - 1) };
  return { from: source, ...defined(members) };
}
