import { shellLine } from '../../display/shell-line.ts';
import type { AskedQuestion } from '../api/types.ts';
import { exact } from './visible.ts';

/** The question in full, with each invisible character as an escape. */
export function askedText({ call, summary }: Pick<AskedQuestion, 'call' | 'summary'>): string {
  const { command, preview } = call ?? {};
  if (command?.kind === 'shell') return exact(command.line);
  if (command?.kind === 'program') return shellLine(command.argv.map(exact));
  if (preview !== undefined) return exact(preview.text === '' ? summary : preview.text);
  return exact(call ? JSON.stringify(call.args, undefined, 2) : summary);
}

/** A shell's line as three texts, the dangerous part in the middle; undefined if that part is not known. */
export function dangerIn({
  call,
  reason,
}: Pick<AskedQuestion, 'call' | 'reason'>): readonly [before: string, danger: string, after: string] | undefined {
  if (call?.dangerous === undefined || call.command?.kind !== 'shell') return undefined;
  const part = /^\w+\((.+)\)$/s.exec(call.denial ?? '')?.[1] ?? /^It runs (.+?)\. ?/s.exec(reason)?.[1];
  const line = exact(call.command.line);
  const at = part === undefined ? -1 : line.indexOf(exact(part));
  if (at < 0) return undefined;
  const end = at + exact(part!).length;
  return [line.slice(0, at), line.slice(at, end), line.slice(end)];
}
