// `ollm handover`: a conversation as a session of another program, which continues with it.
import { type Command, Option } from 'commander';
import type { Handover, HandoverRequest } from '../../app/handover/hand-over.ts';
import { countOf } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { withShortIds } from '../../display/short-id.ts';
import { OllmError } from '../../errors/index.ts';
import { HANDOVER_NAMES, type HandoverName } from '../../handover/targets.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';

interface Options extends Omit<HandoverRequest, 'signal' | 'to' | 'inPlace'> {
  readonly to?: HandoverName;
  readonly list?: boolean;
  readonly remove?: string;
  readonly changed?: boolean;
}

export function defineHandover(program: Command, finish: Finish): void {
  const command = program
    .command('handover')
    .description('write a session as one of another program, which continues with it')
    .argument('[id]', CONVERSATION_ARGUMENT)
    .addOption(new Option('--to <agent>', 'the program that is to continue').choices(HANDOVER_NAMES))
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
    .option('--prove', 'start the program on it, in a sandbox without a network, and compare its request')
    .option('--list', 'list the copies in other programs, and whether they were continued')
    .option('--remove <address>', 'delete such a copy, if it is still as it was written')
    .option('--changed', 'with --remove: move it away if it is not')
    .action(
      action<Options, [string | undefined]>(finish, async (shell, { list: isList, remove: removed, ...rest }, id) => {
        const { output, signal, openApp } = shell;
        const { changed, to, ...options } = rest;
        if (isList) return list(shell);
        if (removed !== undefined) return remove(shell, removed, changed);
        if (id === undefined || to === undefined) {
          throw new OllmError('USAGE', id === undefined ? 'Which session?' : 'To which program?', {
            hint: `ollm handover ID --to ${HANDOVER_NAMES.join('|')}`,
          });
        }
        const app = await openApp('handover');
        const { handOver } = await import('../../app/handover/hand-over.ts');
        const handover = await handOver(app, id, { ...options, to, signal });
        if (output.json) await output.document(handover);
        else await print(output, handover);
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm handover claude:5f3c --to codex', does: 'a session of Claude Code, continued in Codex' },
    { line: 'ollm handover @last --to claude --cwd ~/app', does: 'the last conversation here, in Claude Code' },
    { line: 'ollm handover claude:5f3c --to gemini --dry-run', does: 'what would be carried, and what not' },
    { line: 'ollm handover @last --to qwen --prove', does: 'also sees that Qwen Code itself takes all of it over' },
    { line: 'ollm handover --list', does: 'the copies in other programs, and which were continued' },
    { line: 'ollm handover --remove codex:384b', does: 'deletes a copy, if it was not continued' },
  ]);
}

async function print(output: Output, handover: Handover): Promise<void> {
  const { handoverText } = await import('../../app/handover/handover-text.ts');
  const { lines, note, command } = handoverText(handover);
  for (const line of lines) await output.line(line);
  if (note !== undefined) output.note(note);
  if (handover.caution !== undefined) output.warn(handover.caution);
  if (command !== undefined) await output.line(`Continue with: ${command}`);
}

/** Shows the handovers whose files are there. */
async function list({ output, openApp }: Shell): Promise<void> {
  const app = await openApp('handover');
  const { handovers } = await import('../../app/handover/handovers.ts');
  const all = handovers(app);
  if (output.json) return output.document(all);
  const rows = all.filter(({ state }) => state !== 'gone');
  const nowMs = app.clock.now();
  await output.table([
    { title: 'ADDRESS', cells: rows.map(({ address }) => address), style: 'cyan' },
    { title: 'FROM', cells: rows.map(({ from }) => withShortIds(from)) },
    { title: 'WHEN', cells: rows.map(({ at }) => relativeTime(at, nowMs)), style: 'dim' },
    { title: 'STATE', cells: rows.map(({ state }) => (state === 'written' ? 'as written' : state)) },
    { title: 'FILE', cells: rows.map(({ path }) => path), style: 'dim', grows: true },
  ]);
  const gone = all.length - rows.length;
  if (rows.length === 0) output.note('Nothing that was handed over is there.');
  if (gone > 0) output.note(`Not there any more: ${countOf(gone, 'file')}.`);
}

async function remove({ output, openApp }: Shell, reference: string, changed: boolean | undefined): Promise<void> {
  const app = await openApp('handover');
  const { removeHandover } = await import('../../app/handover/remove-handover.ts');
  const removed = await removeHandover(app, reference, { changed });
  const { address, path, keptAt } = removed;
  await output.done(removed, keptAt === undefined ? `Removed ${address}: ${path}` : `Moved ${address} to ${keptAt}`);
  if (address.startsWith('opencode:'))
    output.note('What opencode has taken in stays there: "opencode session" lists it.');
}
