// What `ollm blame` and `/blame` print: a row for each line of the file, and a row for each call that wrote some.
import { excerpt } from '../../display/excerpt.ts';
import { printable, printableLine } from '../../display/printable.ts';
import { countOf, formatTime } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import type { Redact } from '../app.ts';
import type { BlamedCall, FileBlame, LineBlame } from './blame-file.ts';

/** The prompt of a call as it is shown, where one is known. */
export type PromptOf = (call: BlamedCall) => string | undefined;

interface BlamePlace {
  readonly file: string;
  /** From 1. */
  readonly from?: number;
  readonly to?: number;
}

const MARKS = { certain: '=', likely: '~', unknown: ' ' } as const;
const PROMPT_CHARACTERS = 60;

/**
 * FILE, FILE:LINE or FILE:FROM-TO. `isThere`: whether there is a file of this name, since a name may have a colon.
 *
 * @throws OllmError USAGE
 */
export function blamePlace(argument: string, isThere: (path: string) => boolean): BlamePlace {
  const [, file, from, to] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(argument) ?? [];
  if (file === undefined || isThere(argument)) return { file: argument };
  const place = { file, from: Number(from), to: Number(to ?? from) };
  if (place.from > 0 && place.from <= place.to) return place;
  throw new OllmError('USAGE', `${argument} names no lines.`, { hint: 'Lines begin with 1, such as FILE:40-44.' });
}

/** Without what looks like a secret, and cut. Of a subagent, the prompt of the session that began it. */
export function promptShower(redact: Redact): PromptOf {
  return ({ prompt: own, parent }) => {
    const prompt = parent?.prompt ?? own;
    return prompt === undefined ? undefined : excerpt(redact(prompt).text, PROMPT_CHARACTERS);
  };
}

/** What opens the call: `agent:id#seq`. */
export function addressOfCall({ session, seq }: Pick<BlamedCall, 'session' | 'seq'>): string {
  return `${session}#${seq}`;
}

/** A row for each line. `head`: the mark, the session, the time and the number. */
export function blameRows(lines: FileBlame['lines']): readonly { readonly head: string; readonly text: string }[] {
  const digits = String(lines.at(-1)?.line ?? 1).length;
  const names = lines.map(({ call }) => (call === undefined ? '' : shortName(call)));
  const width = Math.max(0, ...names.map((name) => name.length));
  return lines.map(({ class: found, call, line, text }, at) => {
    const time = call?.at === undefined ? '' : formatTime(call.at).slice(0, 16);
    const head = `${MARKS[found]} ${names[at]!.padEnd(width)}  ${time.padEnd(16)}  ${String(line).padStart(digits)}`;
    return { head, text: printable(text) };
  });
}

/** A row for each call, and one for each reason that lines are unknown. */
export function blameSummary(
  lines: FileBlame['lines'],
  promptOf: PromptOf,
  { withOthers = false }: { readonly withOthers?: boolean | undefined } = {},
): readonly string[] {
  const groups = Map.groupBy(lines, ({ class: found, why, call, commit }) =>
    JSON.stringify([found, why, call && addressOfCall(call), call && commit]),
  );
  return [...groups.values()].flatMap((group) => [
    `  ${summaryOf(group, promptOf)}`,
    ...(withOthers ? othersOf(group) : []),
  ]);
}

/** Why it was decided so, in a few words. */
export function blameWords({ class: found, why }: Pick<LineBlame, 'class' | 'why'>): string {
  return `${found}${why === undefined ? '' : `: ${why}`}`;
}

function othersOf(group: readonly LineBlame[]): readonly string[] {
  const rows = group.flatMap(({ line, others }) =>
    others.map(({ call, lost }) => ({ line, row: `${printableLine(addressOfCall(call))}  ${lost}` })),
  );
  const byRow = Map.groupBy(rows, ({ row }) => row);
  return [...byRow].map(([row, some]) => `      not ${row}, ${countOf(some.length, 'line')}`);
}

function shortName({ session }: BlamedCall): string {
  const [agent = '', id = ''] = session.split(/:(.*)/s);
  return printableLine(`${agent}:${id.slice(0, 8)}`);
}

function summaryOf(group: readonly LineBlame[], promptOf: PromptOf): string {
  const [{ class: found, why, call, commit }] = group as [LineBlame];
  const count = countOf(group.length, 'line');
  if (call === undefined) return `  ${count} unknown: ${why ?? 'no session was found'}`;
  const prompt = promptOf(call);
  const parts = [
    count,
    call.turn === undefined ? call.tool : `${call.tool} in turn ${call.turn}`,
    call.parent && `by a subagent of ${call.parent.session}`,
    call.model,
    call.decision === undefined || call.decision.by === 'import'
      ? 'decision not recorded'
      : `allowed by ${WHO[call.decision.by]}`,
    commit === undefined ? 'not committed' : `commit ${commit.slice(0, 8)}`,
    why === 'moved' ? `moved from ${call.path}` : why,
  ];
  const told = parts
    .filter((part) => part !== undefined)
    .map(printableLine)
    .join(', ');
  const quoted = prompt === undefined ? '' : `  “${printableLine(prompt)}”`;
  return `${MARKS[found]} ${printableLine(addressOfCall(call))}${quoted}  ${told}`;
}

const WHO = {
  policy: 'the policy',
  user: 'the user',
  grant: 'a grant',
  agent: 'the program',
  import: 'someone',
} as const;
