// /export: the session as a file for people (md, html) or programs (json, jsonl), by the extension of the file's name.
import { extname, resolve } from 'node:path';
import type { ExportFormat } from '../../app/sessions/export-session.ts';
import { OllmError } from '../../errors/index.ts';
import { pathCandidates } from '../input/path-candidates.ts';
import { appOf, type CommandContext, type ReplCommand, wrongUsage } from './command.ts';

export const exportCommand: ReplCommand = {
  name: 'export',
  group: 'session',
  arguments: '[FILE]',
  summary: 'writes the session to a file: .md, .html, .json or .jsonl',
  details:
    'Without a file it writes Markdown into the current directory, named after the session. Asks before it replaces a file',
  example: '/export talk.html',
  legal: 'always',
  complete: ({ app }, argument) => pathCandidates(app.fileSystem, app.cwd, argument),
  async run(context, argument) {
    const app = appOf(context);
    const { id } = context.conversation.session;
    const file = unquoted(argument.trim()) || `${id}.md`;
    // Who is used to options means no file of that name; one that is meant can be written as ./--name.
    if (file.startsWith('--'))
      throw wrongUsage(exportCommand, 'It takes no options; the end of the name says the format.');
    const { EXPORT_FORMATS, exportSession, IN_THE_CLEAR } = await import('../../app/sessions/export-session.ts');
    const format = formatOf(file, EXPORT_FORMATS);
    await requireLeave(context, resolve(app.cwd, file));
    const result = await exportSession(app, id, { format, transient: true });
    const { writeExportFile } = await import('../../app/sessions/export-file.ts');
    const path = await writeExportFile(app, result, file);
    const skipped = result.damaged > 0 ? ` ${result.damaged} damaged places could not be read; each is marked.` : '';
    context.front.print(`Written: ${path}.${skipped}${result.inTheClear ? ` ${IN_THE_CLEAR}` : ''}`);
    return undefined;
  },
};

/** As a shell takes it: quotes around the whole name are not part of it. */
function unquoted(text: string): string {
  const [, , inside = text] = /^(["'])(.+)\1$/.exec(text) ?? [];
  return inside;
}

/** A file that is there is replaced only if the user says so. */
async function requireLeave({ app, front }: CommandContext, path: string): Promise<void> {
  if (app.fileSystem.stat(path)?.kind !== 'file' || (await front.confirm(`${path} is there. Replace it?`))) return;
  throw new OllmError('USAGE', `${path} exists and was not replaced.`, { hint: 'Name another file.' });
}

function formatOf(file: string, formats: readonly ExportFormat[]): ExportFormat {
  const extension = extname(file).slice(1).toLowerCase();
  if (extension === '') return 'md';
  const format = formats.find((known) => known === extension);
  if (!format) throw wrongUsage(exportCommand, `There is no export to .${extension}.`);
  return format;
}
