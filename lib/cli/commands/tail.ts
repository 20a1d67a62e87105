// `ollm tail`: the last events of a session on a line each, and those to come.
import type { Command } from 'commander';
import { parseLines } from '../arguments.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { damageLine, eventLine } from '../event-line.ts';
import { turnTaker } from '../take-turns.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly follow?: boolean;
  readonly lines: number;
  readonly type?: readonly string[];
}

const LINE_FEED = Buffer.from('\n');

export function defineTail(program: Command, finish: Finish): void {
  const command = program
    .command('tail')
    .description('print the last events of a session; with -f also new ones')
    .argument('<id>', SESSION_ARGUMENT)
    .option('-f, --follow', 'keep printing new events')
    .option('-n, --lines <count>', 'number of events, or "all"', parseLines, 20)
    .option('--type <glob...>', 'only these types of events, such as "tool.*"')
    .action(
      action<Options, [string]>(finish, async ({ output, signal, openApp }, { follow, lines, type }, reference) => {
        const app = await openApp('tail');
        const { tailSession } = await import('../../app/sessions/tail-session.ts');
        const { resolveId } = await import('../../app/sessions/find-session.ts');
        const id = await resolveId(app, reference);
        const takeTurns = turnTaker(signal);
        const width = output.isTerminal ? output.columns : undefined;
        let damaged = 0;
        let end = 0;
        for await (const outcome of tailSession(app, id, { lines, types: type, follow, signal })) {
          if (outcome.kind === 'damage') {
            damaged += 1;
            output.warn(damageLine(outcome.damage));
            await takeTurns();
            continue;
          }
          const { event } = outcome;
          if (event.offset < end)
            output.warn(`The journal was cut back or replaced: now event ${event.seq} comes here.`);
          end = event.end;
          if (output.json) await output.data(Buffer.concat([event.raw, LINE_FEED]));
          else await output.line(eventLine(event, { colors: output.colors, width }));
          await takeTurns();
        }
        return tellCautions(output, app, id, damaged);
      }),
    );
  withExamples(command, [
    { line: 'ollm tail @last', does: 'what happened last' },
    { line: 'ollm tail notes -f --type "tool.*"', does: 'watch the tool calls of a live session' },
    { line: 'ollm tail notes -n all --json | jq -c .data', does: 'every line of the journal as it is' },
  ]);
}
