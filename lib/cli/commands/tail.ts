// `ollm tail`: the last events of a session on a line each, and those to come.
import type { Command } from 'commander';
import type { SessionEvent, StoredEvent } from '../../journal/types.ts';
import { parseEach, parseLines } from '../arguments.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import { damageLine, eventLine } from '../event-line.ts';
import { turnTaker } from '../take-turns.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly follow?: boolean;
  readonly lines: number;
  readonly type?: readonly string[];
  readonly imported?: boolean;
}

const LINE_FEED = Buffer.from('\n');

export function defineTail(program: Command, finish: Finish): void {
  const command = program
    .command('tail')
    .description('print the last events of a session; with -f also new ones')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .option('-f, --follow', 'keep printing new events')
    .option('-n, --lines <count>', 'number of events, or "all"', parseLines, 20)
    .option('--type <glob>', 'only this type of events, such as "tool.*"; may be repeated', parseEach)
    .action(
      action<Options, [string]>(
        finish,
        async ({ output, signal, openApp }, { follow, lines, type, imported }, reference) => {
          const app = await openApp('tail');
          const { tailSession } = await import('../../app/sessions/read/tail-session.ts');
          const { findConversation } = await import('../../app/find/find-session.ts');
          const found = await findConversation(app, reference, { imported, archived: true });
          const takeTurns = turnTaker(signal);
          const width = output.isTerminal ? output.columns : undefined;
          let damaged = 0;
          let last: SessionEvent | undefined;
          for await (const outcome of tailSession(app, found, { lines, types: type, follow, signal })) {
            if (outcome.kind === 'damage') {
              damaged += 1;
              output.warn(damageLine(outcome.damage));
              await takeTurns();
              continue;
            }
            const { event } = outcome;
            if (last !== undefined && !comesAfter(event, last))
              output.warn(
                `The ${found.kind === 'own' ? 'journal' : 'file'} was cut back or replaced: now event ${event.seq} comes here.`,
              );
            last = event;
            if (output.json) await output.data(lineOf(event));
            else await output.line(eventLine(event, { colors: output.colors, width }));
            await takeTurns();
          }
          return tellCautions(output, app, found.id, damaged);
        },
      ),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm tail @last', does: 'what happened last' },
    { line: 'ollm tail notes -f --type "tool.*"', does: 'watch the tool calls of a live session' },
    { line: 'ollm tail claude:5f3c -f', does: 'follow a session of Claude Code while it works' },
    { line: 'ollm tail notes -n all --json | jq -c .data', does: 'every line of the journal as it is' },
  ]);
}

function isStored(event: SessionEvent): event is StoredEvent {
  return 'raw' in event;
}

function comesAfter(event: SessionEvent, last: SessionEvent): boolean {
  return isStored(event) && isStored(last) ? event.offset >= last.end : event.seq > last.seq;
}

/** The line of a journal as it is; of another conversation what such a line would say. */
function lineOf(event: SessionEvent): Uint8Array {
  if (isStored(event)) return Buffer.concat([event.raw, LINE_FEED]);
  const { seq, ts, type, turn, data } = event;
  return Buffer.from(`${JSON.stringify({ seq, ts, type, turn, data })}\n`);
}
