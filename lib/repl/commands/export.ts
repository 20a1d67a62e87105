// /export: the session as a file for people (md, html) or programs (json, jsonl), by the extension of the file's name.
import { extname } from 'node:path';
import { writeExportFile } from '../../app/export-file.ts';
import { EXPORT_FORMATS, type ExportFormat, exportSession } from '../../app/export-session.ts';
import { pathCandidates } from '../input/path-candidates.ts';
import { appOf, type ReplCommand, wrongUsage } from './command.ts';

export const exportCommand: ReplCommand = {
  name: 'export',
  group: 'session',
  arguments: '[FILE]',
  summary: 'writes the session to a file: .md, .html, .json or .jsonl',
  details: 'Without a file it writes Markdown into the current directory, named after the session',
  example: '/export talk.html',
  legal: 'always',
  complete: ({ app }, argument) => pathCandidates(app.fileSystem, app.cwd, argument),
  async run(context, argument) {
    const app = appOf(context);
    const { id } = context.conversation.session;
    const file = argument.trim() || `${id}.md`;
    const result = await exportSession(app, id, { format: formatOf(file) });
    const path = await writeExportFile(app, result, file);
    const skipped = result.damaged > 0 ? ` ${result.damaged} damaged places could not be read; each is marked.` : '';
    context.front.print(`Written: ${path}.${skipped}`);
    return undefined;
  },
};

function formatOf(file: string): ExportFormat {
  const extension = extname(file).slice(1).toLowerCase();
  if (extension === '') return 'md';
  const format = EXPORT_FORMATS.find((known) => known === extension);
  if (!format) throw wrongUsage(exportCommand, `There is no export to .${extension}.`);
  return format;
}
