// `ollm handover`: a conversation as a session of another program, which continues with it.
import { type Command, Option } from 'commander';
import type { Handover, HandoverRequest } from '../../app/sessions/change/hand-over.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { LEFT_KINDS } from '../../handover/item.ts';
import { CHANGE_KINDS } from '../../handover/prepared.ts';
import { TARGET_NAMES, type TargetName } from '../../handover/targets.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import type { Output } from '../output.ts';

type Options = Omit<HandoverRequest, 'signal'> & { readonly to: TargetName };

export function defineHandover(program: Command, finish: Finish): void {
  const command = program
    .command('handover')
    .description('write a session as one of another program, which continues with it')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .addOption(
      new Option('--to <agent>', 'the program that is to continue').choices(TARGET_NAMES).makeOptionMandatory(),
    )
    .option('--cwd <directory>', 'where it is to continue; default: the current directory')
    .addOption(
      new Option('--calls <form>', 'calls of tools as such, or as texts that name them')
        .choices(['native', 'text'])
        .default('native'),
    )
    .option('--whole', 'also what a compaction covers, in place of its summary')
    .option('--raw', 'do not replace what looks like a secret')
    .option('--again', 'write another one where the same was handed over before')
    .option('--dry-run', 'say what would be carried, and write nothing')
    .action(
      action<Options, [string]>(finish, async ({ output, signal, openApp }, options, reference) => {
        const app = await openApp('handover');
        const { handOver } = await import('../../app/sessions/change/hand-over.ts');
        const handover = await handOver(app, reference, { ...options, signal });
        if (output.json) await output.document(handover);
        else await print(output, handover);
        return 0;
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm handover claude:5f3c --to codex', does: 'a session of Claude Code, continued in Codex' },
    { line: 'ollm handover @last --to claude --cwd ~/app', does: 'the last conversation here, in Claude Code' },
    { line: 'ollm handover claude:5f3c --to gemini --dry-run', does: 'what would be carried, and what not' },
  ]);
}

async function print(output: Output, handover: Handover): Promise<void> {
  const { address, path, bytes, carried, left, changes, check, cwd, otherCwd, commands, caution } = handover;
  const { texts, calls, pictures } = carried;
  const what = [
    countOf(texts, 'text'),
    countOf(calls, 'call'),
    ...(pictures > 0 ? [countOf(pictures, 'picture')] : []),
  ];
  const done = { equal: 'Wrote', there: 'Already handed over:', 'dry-run': 'Would write' }[check];
  await output.line(`${done} ${address}: ${what.join(', ')}, ${formatBytes(bytes)} in ${path}`);
  const notCarried = counted(left, LEFT_KINDS);
  if (notCarried !== '') await output.line(`Not carried: ${notCarried}.`);
  const changed = counted(changes, CHANGE_KINDS);
  if (changed !== '') await output.line(`Changed: ${changed}.`);
  if (check === 'equal') await output.line('Read back: equal.');
  if (otherCwd !== undefined) output.note(`The source worked in ${otherCwd}; this one is for ${cwd}.`);
  if (caution !== undefined) output.warn(caution);
  const line = [['cd', cwd], ...commands].map((words) => words.map(quoted).join(' ')).join(' && ');
  if (check !== 'dry-run') await output.line(`Continue with: ${line}`);
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

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
