// `ollm export`: a session as text, to standard output or into a file.
import { type Command, Option } from 'commander';
import type { ExportFormat } from '../../app/sessions/read/export-session.ts';
import { parseCount } from '../arguments.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import { turnTaker } from '../take-turns.ts';
import { tellCautions } from '../tell-cautions.ts';

const FORMATS = ['md', 'html', 'json', 'jsonl'] as const satisfies ExportFormat[];

/** What other programs call it. A file of this name is `./-`. */
const STANDARD_OUTPUT = '-';

interface Options {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly from?: number;
  readonly to?: number;
  readonly redact?: boolean;
  readonly imported?: boolean;
}

export function defineExport(program: Command, finish: Finish): void {
  const command = program
    .command('export')
    .description('write a session as Markdown, HTML, JSON or JSON lines')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .addOption(
      new Option(
        '--format <format>',
        'default: from the file name, else md; json holds the present conversation, and counts undone messages as metadata.undone',
      ).choices(FORMATS),
    )
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .option('--from <seq>', 'begin with this event', parseCount)
    .option('--to <seq>', 'end with this event', parseCount)
    .option('--redact', 'replace everything that looks like a secret')
    .action(
      action<Options, [string]>(finish, async ({ output, signal, openApp }, options, reference) => {
        const app = await openApp('export');
        const { exportSession, IN_THE_CLEAR } = await import('../../app/sessions/read/export-session.ts');
        const format = options.format ?? formatOf(options.output);
        const exported = await exportSession(app, reference, { ...options, format, transient: true, signal });
        const exitCode = await tellCautions(output, app, exported.id, exported.damaged);
        if (options.output !== undefined && options.output !== STANDARD_OUTPUT) {
          const { writeExportFile } = await import('../../app/sessions/read/export-file.ts');
          output.note(`Wrote ${await writeExportFile(app, exported, options.output)}.`);
          if (exported.inTheClear) output.note(IN_THE_CLEAR);
          return exitCode;
        }
        const takeTurns = turnTaker(signal);
        for await (const chunk of exported.chunks) {
          await output.data(chunk);
          await takeTurns();
        }
        return exitCode;
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm export @last', does: 'Markdown, to read' },
    { line: 'ollm export notes -o notes.html', does: 'one page that needs no network' },
    { line: 'ollm export notes --format jsonl --from 10 --to 20', does: 'lines of the journal, byte for byte' },
    { line: 'ollm export claude:5f3c -o talk.html', does: 'a session of Claude Code, from where that keeps it' },
    { line: 'ollm export notes --redact -o share.md', does: 'without secrets, to share' },
  ]);
}

function formatOf(file: string | undefined): ExportFormat {
  return FORMATS.find((format) => file?.endsWith(`.${format}`)) ?? 'md';
}
