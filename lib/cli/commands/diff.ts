// `ollm diff`: where two sessions part.
import type { Command } from 'commander';
import type { DiffSide } from '../../app/sessions/read/diff-sessions.ts';
import { countOf } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { eventLine } from '../event-line.ts';
import type { Output } from '../output.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly limit: number;
}

export function defineDiff(program: Command, finish: Finish): void {
  const command = program
    .command('diff')
    .description('show where two sessions part, and the events that only one of them has')
    .argument('<a>', SESSION_ARGUMENT)
    .argument('<b>', SESSION_ARGUMENT)
    .option('-n, --limit <count>', 'show at most N events of each', parseCount, 20)
    .action(
      action<Options, [string, string]>(finish, async ({ output, signal, openApp }, { limit }, first, second) => {
        const app = await openApp('diff');
        const { diffSessions } = await import('../../app/sessions/read/diff-sessions.ts');
        const { shared, a, b } = await diffSessions(app, first, second, { limit, signal });
        const { countDamage } = await import('../../app/find/open-for-reading.ts');
        let exitCode = 0;
        for (const id of new Set([a.id, b.id])) {
          exitCode = Math.max(exitCode, await tellCautions(output, app, id, await countDamage(app, id)));
        }
        if (output.json) {
          await output.document({ shared, a: documentOf(a), b: documentOf(b) });
          return exitCode;
        }
        await output.line(`${countOf(shared, 'event')} in common${placesOf(a, b)}.`);
        await printSide(output, '<', a);
        await printSide(output, '>', b);
        return exitCode;
      }),
    );
  withExamples(command, [
    { line: 'ollm diff notes notes-fork', does: 'the messages after a fork, on either side' },
    { line: 'ollm diff @last notes --json | jq .shared', does: 'how many events they have in common' },
  ]);
}

function documentOf({ events, ...side }: DiffSide): object {
  return { ...side, events: events.map(({ seq, ts, type, turn, data }) => ({ seq, ts, type, turn, data })) };
}

function placesOf(a: DiffSide, b: DiffSide): string {
  return a.lastShared === undefined
    ? ''
    : `, the last is event ${a.lastShared} of ${shortId(a.id)} and ${b.lastShared} of ${shortId(b.id)}`;
}

async function printSide({ line, colors, columns, isTerminal }: Output, mark: string, side: DiffSide): Promise<void> {
  await line(
    `\n${colors.bold(shortId(side.id))}: ${side.own === 0 ? 'nothing of its own' : `${countOf(side.own, 'event')} of its own`}`,
  );
  const width = isTerminal ? columns - 2 : undefined;
  for (const event of side.events) await line(`${mark} ${eventLine(event, { colors, width })}`);
  if (side.own > side.events.length) await line(`${mark} … ${side.own - side.events.length} more`);
}
