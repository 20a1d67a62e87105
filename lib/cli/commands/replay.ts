// `ollm replay`: rebuilds the state of a session only from its journal.
import { type Command, Option } from 'commander';
import type { ReplayPoint } from '../../projections/replay.ts';
import { parsePlace } from '../arguments.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import { damageLine } from '../event-line.ts';
import { tellCautions } from '../tell-cautions.ts';

const STATES = ['session', 'view', 'budget', 'loop', 'context', 'summary'] as const;

interface Options {
  readonly at?: number | string;
  readonly state: (typeof STATES)[number] | 'all';
  readonly write?: boolean;
  readonly imported?: boolean;
}

export function defineReplay(program: Command, finish: Finish): void {
  const command = program
    .command('replay')
    .description('rebuild the state of a session only from its journal, and print it as JSON')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .option('--at <seq|time>', 'the state after this event, or at this time', parsePlace)
    .addOption(new Option('--state <name>', 'state to print').choices([...STATES, 'all']).default('session'))
    .option('--write', 'also replace the snapshot <id>.json')
    .action(
      action<Options, [string]>(
        finish,
        async ({ output, signal, openApp }, { at, state, write, imported }, reference) => {
          const app = await openApp('replay');
          const { replaySession } = await import('../../app/sessions/read/replay-session.ts');
          const { id, damage, counts, states, agents } = await replaySession(app, reference, {
            at: pointOf(at),
            states: state === 'all' ? STATES : [state],
            write,
            imported,
            signal,
          });
          for (const found of damage) output.warn(damageLine(found));
          if (counts.invalid > 0)
            output.warn(`${counts.invalid} events do not fit their type; see "ollm verify --deep ${id}".`);
          if (agents.length > 0) output.note(`Its agents have sessions of their own: ${agents.join(', ')}.`);
          if (write) output.note(`Wrote ${id}.json.`);
          await output.document(state === 'all' ? states : states[state]);
          return tellCautions(output, app, id, counts.damaged);
        },
      ),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm replay @last', does: 'the session as one JSON document' },
    { line: 'ollm replay notes --at 41 --state view', does: 'the request to the model after event 41' },
    { line: 'ollm replay notes --at 2026-11-21T20:49:00Z --state budget', does: 'tokens at a time in the past' },
    { line: 'ollm replay notes --write', does: 'rebuild the snapshot' },
  ]);
}

function pointOf(at: number | string | undefined): ReplayPoint | undefined {
  if (at === undefined) return undefined;
  return typeof at === 'number' ? { seq: at } : { time: at };
}
