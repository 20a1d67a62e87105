// `ollm export`: a session as text, to standard output or into a file.
import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { ExportFormat } from '../../app/sessions/read/export-session.ts';
import type { SourceExport } from '../../app/sessions/read/export-source.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { parseCount } from '../arguments.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import type { Output } from '../output.ts';
import { turnTaker } from '../take-turns.ts';
import { tellCautions } from '../tell-cautions.ts';

const FORMATS = ['md', 'html', 'json', 'jsonl', 'otel', 'atif', 'asf'] as const satisfies ExportFormat[];
/** No form of a conversation: the file of another program. */
const SOURCE = 'source';
/** Lines of files that the session wrote. */
const TRACE = 'agent-trace';

/** What other programs call it. A file of this name is `./-`. */
const STANDARD_OUTPUT = '-';

interface Options {
  readonly format?: ExportFormat | typeof SOURCE | typeof TRACE;
  readonly output?: string;
  readonly from?: number;
  readonly to?: number;
  readonly redact?: boolean;
  readonly contents?: boolean;
  readonly imported?: boolean;
  readonly generation?: number;
}

export function defineExport(program: Command, finish: Finish): void {
  const command = program
    .command('export')
    .description('write a session as Markdown, HTML or JSON, or as other programs read it')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .addOption(
      new Option(
        '--format <format>',
        'default: from the file name, else md; json holds the present conversation, and counts undone messages as metadata.undone; otel is OTLP/JSON, a line for each turn; atif and asf are formats of sessions; agent-trace is the lines of files that it wrote, as they are now; source is the file of another program, byte for byte',
      ).choices([...FORMATS, TRACE, SOURCE]),
    )
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .option('--from <seq>', 'begin with this event', parseCount)
    .option('--to <seq>', 'end with this event', parseCount)
    .option('--redact', 'replace everything that looks like a secret')
    .option('--contents', 'with --format otel: texts, arguments and results too')
    .option('--generation <n>', 'with --format source: an earlier state of the file, as its import kept it', parseCount)
    .action(
      action<Options, [string]>(finish, async ({ output, signal, openApp }, options, reference) => {
        const app = await openApp('export');
        if (options.format === TRACE) return writeTrace(reference, options, { output, app, signal });
        const { exportSession, formatOfName, IN_THE_CLEAR } = await import('../../app/sessions/read/export-session.ts');
        const format = options.format ?? formatOfName(options.output ?? '') ?? 'md';
        if (format !== SOURCE && options.generation !== undefined) {
          throw new OllmError('USAGE', 'Only a source has generations.', { hint: 'Add --format source.' });
        }
        if (options.contents && format !== 'otel') {
          throw new OllmError('USAGE', '--contents goes with --format otel.', {
            hint: 'The other forms have all texts in any case.',
          });
        }
        if (format === SOURCE) return writeSource(reference, options, { output, app, signal });
        const exported = await exportSession(app, reference, { ...options, format, transient: true, signal });
        const exitCode = await tellCautions(output, app, exported.id, exported.damaged);
        if (options.output !== undefined && options.output !== STANDARD_OUTPUT) {
          const { writeExportFile } = await import('../../app/sessions/read/export-file.ts');
          output.note(`Wrote ${await writeExportFile(app, exported, options.output)}.`);
          if (exported.inTheClear) output.note(IN_THE_CLEAR);
        } else {
          await print(exported.chunks, output, signal);
        }
        const losses = exported.losses();
        if (losses.length > 0) output.note(`${format} has no place for ${losses.join(', ')}.`);
        return exitCode;
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm export @last', does: 'Markdown, to read' },
    { line: 'ollm export notes -o notes.html', does: 'one page that needs no network' },
    { line: 'ollm export notes --format jsonl --from 10 --to 20', does: 'lines of the journal, byte for byte' },
    { line: 'ollm export claude:5f3c -o talk.html', does: 'a session of Claude Code, from where that keeps it' },
    {
      line: 'ollm export claude:5f3c --format source -o 5f3c.jsonl',
      does: 'the file of that session, also once it is lost there',
    },
    { line: 'ollm export notes --redact -o share.md', does: 'without secrets, to share' },
    { line: 'ollm export claude:5f3c --format otel -o spans.jsonl', does: 'spans for a collector of OpenTelemetry' },
    { line: 'ollm export notes -o notes.atif.json', does: 'a trajectory, as evaluations read it' },
  ]);
}

interface SourcePorts {
  readonly output: Output;
  readonly app: App;
  readonly signal: AbortSignal;
}

async function writeTrace(
  reference: string,
  { output: file, redact, from, to }: Options,
  { output, app, signal }: SourcePorts,
): Promise<number> {
  if (redact || from !== undefined || to !== undefined) {
    throw new OllmError('USAGE', 'agent-trace is about files: --redact, --from and --to do not go with it.', {
      hint: 'It holds paths, line numbers and hashes, and no text.',
    });
  }
  const { traceOfSession } = await import('../../app/blame/trace-of-session.ts');
  const { line, gone, notes } = await traceOfSession(app, reference, { signal });
  for (const note of notes) output.note(note);
  if (gone > 0)
    output.note(`${countOf(gone, 'file')} that it changed ${gone === 1 ? 'is' : 'are'} not there any more.`);
  if (file === undefined || file === STANDARD_OUTPUT) await output.data(Buffer.from(line));
  else {
    const { writeExportFile } = await import('../../app/sessions/read/export-file.ts');
    output.note(`Wrote ${await writeExportFile(app, { chunks: chunksOf(line) }, file)}.`);
  }
  return 0;
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text);
}

/** Only into a new file: that of the program is not replaced by an earlier state. */
async function writeSource(
  reference: string,
  { output: file, imported, generation, redact, from, to }: Options,
  { output, app, signal }: SourcePorts,
): Promise<number> {
  if (redact || from !== undefined || to !== undefined) {
    throw new OllmError('USAGE', 'A source is given as it is: --redact, --from and --to do not go with it.', {
      hint: 'Export md, html, json or jsonl for a part of a session, or for one without secrets.',
    });
  }
  const { exportSource } = await import('../../app/sessions/read/export-source.ts');
  const exported = await exportSource(app, reference, { imported, generation });
  if (file === undefined || file === STANDARD_OUTPUT) {
    await print(exported.chunks, output, signal);
    output.note(describeSource(exported));
    return 0;
  }
  const { writeExportFile } = await import('../../app/sessions/read/export-file.ts');
  output.note(`Wrote ${await writeExportFile(app, exported, file, { isNew: true })}. ${describeSource(exported)}`);
  return 0;
}

function describeSource({ keptAs, agentTitle, path, inTheClear }: SourceExport): string {
  const what = {
    same: `This is the file of ${agentTitle}, ${path}, byte for byte.`,
    unpacked: `This is what the file of ${agentTitle}, ${path}, unpacks into, byte for byte.`,
    records: `These are the records of ${agentTitle} in ${path}, one on a line: ${agentTitle} does not read them again.`,
  }[keptAs];
  return [
    what,
    'Secrets in it are not replaced.',
    ...(inTheClear ? ['The import is encrypted; this is not.'] : []),
  ].join(' ');
}

async function print(chunks: AsyncIterable<Uint8Array>, output: Output, signal: AbortSignal): Promise<void> {
  const takeTurns = turnTaker(signal);
  for await (const chunk of chunks) {
    await output.data(chunk);
    await takeTurns();
  }
}
