// What a handover did, in the words of the command line and of the REPL.
import { countOf, formatBytes } from '../../display/quantities.ts';
import { shellLine } from '../../display/shell-line.ts';
import { LEFT_KINDS } from '../../handover/item.ts';
import { CHANGE_KINDS } from '../../handover/prepared.ts';
import type { Handover } from './hand-over.ts';
import type { Proof } from './prove.ts';

interface HandoverText {
  readonly lines: readonly string[];
  readonly note: string | undefined;
  /** The command to go on with; undefined of a dry run. */
  readonly command: string | undefined;
}

export function handoverText(handover: Handover): HandoverText {
  const { address, path, bytes, carried, left, changes, check, proof, cwd, otherCwd } = handover;
  const { texts, calls, pictures } = carried;
  const what = [
    countOf(texts, 'text'),
    countOf(calls, 'call'),
    ...(pictures > 0 ? [countOf(pictures, 'picture')] : []),
  ];
  const done = { equal: 'Wrote', document: 'Wrote', there: 'Already handed over:', 'dry-run': 'Would write' }[check];
  const notCarried = counted(left, LEFT_KINDS);
  const changed = counted(changes, CHANGE_KINDS);
  return {
    lines: [
      `${done} ${address}: ${what.join(', ')}, ${formatBytes(bytes)} in ${path}`,
      ...(notCarried === '' ? [] : [`Not carried: ${notCarried}.`]),
      ...(changed === '' ? [] : [`Changed: ${changed}.`]),
      ...(check === 'equal' ? ['Read back: equal.'] : []),
      ...(proof === undefined ? [] : [`Proved: ${proof.program} sends all of it to its model (${sentIn(proof)}).`]),
    ],
    note: otherCwd === undefined ? undefined : `The source worked in ${otherCwd}; this one is for ${cwd}.`,
    command: check === 'dry-run' ? undefined : commandLine(handover),
  };
}

/** `cd /home/me/app && codex resume 384b…`, as a shell takes it. */
export function commandLine({ cwd, commands }: Pick<Handover, 'cwd' | 'commands'>): string {
  return [['cd', cwd], ...commands].map(shellLine).join(' && ');
}

/** `15 texts, 20 calls, 20 results` */
function sentIn({ counts }: Proof): string {
  const kinds = { texts: 'text', pictures: 'picture', calls: 'call', results: 'result' } as const;
  return Object.entries(counts)
    .flatMap(([kind, { sent }]) => (sent === 0 ? [] : [countOf(sent, kinds[kind as keyof typeof kinds])]))
    .join(', ');
}

function counted<Kind extends string>(
  counts: Readonly<Record<Kind, number>>,
  words: Readonly<Record<Kind, string>>,
): string {
  const kinds = Object.keys(counts) as Kind[];
  return kinds.flatMap((kind) => (counts[kind] > 0 ? [plural(counts[kind], words[kind])] : [])).join(', ');
}

/** `2 texts that a program put there`: the first word has the number, but that of a prompt of the system. */
function plural(count: number, phrase: string): string {
  const [, noun = phrase, rest = ''] = /^(\S+(?: prompt| place)?)( .*)?$/.exec(phrase) ?? [];
  return `${countOf(count, noun)}${rest}`;
}
