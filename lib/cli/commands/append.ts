// `ollm append`: any program keeps a session by lines of JSON, and is answered line by line.
import type { Command } from 'commander';
import type { Acknowledgement, Appending } from '../../app/sessions/change/append-events.ts';
import { ERROR_CODES } from '../../errors/index.ts';
import { onAbort } from '../../platform/waiting.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';

interface Options {
  readonly create?: boolean;
}

export function defineAppend(program: Command, finish: Finish): void {
  const command = program
    .command('append')
    .description(
      'append events from standard input, one {type, data, turn?, id?, ignorable?} per line; print one line for each; redact secrets',
    )
    .argument('<id>', SESSION_ARGUMENT)
    .option('--create', 'create the session if none has exactly this id')
    .action(
      action<Options, [string]>(finish, async ({ output, input, signal, openApp }, { create }, reference) => {
        const app = await openApp('append');
        const { openForAppending } = await import('../../app/sessions/change/append-events.ts');
        const appending = await openForAppending(app, reference, { create, signal });
        for (const notice of appending.notices) output.note(notice);
        const stopListening = onAbort(signal, () => input.destroy());
        let refused = 0;
        try {
          await output.records(
            counted(appending, input, (answer) => {
              if ('error' in answer) refused += 1;
            }),
          );
        } catch (error) {
          if (!signal.aborted || (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
          // The input was closed by the signal.
        } finally {
          stopListening();
          await appending.close();
        }
        if (refused > 0) return ERROR_CODES.INTERNAL.exit;
        return appending.damaged > 0 ? ERROR_CODES.JOURNAL_DAMAGED.exit : 0;
      }),
    );
  withExamples(command, [
    {
      line: `echo '{"type":"build.finished","data":{"ok":true}}' | ollm append ci --create`,
      does: 'keep a session from a script; prints {"seq":1,"xxh64":"…"} once it is stored',
    },
    { line: 'my-agent --events | ollm append agent-run', does: 'record what a program does, as it happens' },
  ]);
}

async function* counted(
  appending: Appending,
  input: NodeJS.ReadStream,
  count: (answer: Acknowledgement) => void,
): AsyncGenerator<Acknowledgement, void, void> {
  for await (const answers of appending.answers(input)) {
    for (const answer of answers) {
      count(answer);
      yield answer;
    }
  }
}
