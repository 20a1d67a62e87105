// Lists the files of the project, or of a directory in it, as its author sees them: without ignored files.
import { join } from 'node:path';
import type { FoundName } from '../../discovery/types.ts';
import { formatCount } from '../../display/quantities.ts';
import { placeName, resolvePath, shownPath } from '../paths.ts';
import { type Tool, ToolFailure, type ToolPlace } from '../tool.ts';
import { builtinTool, limitOf } from './builtin-tool.ts';
import { type Disk, moved, type OpenedFile } from './opened-file.ts';
import type { BuiltinToolPorts } from './ports.ts';

const LIMIT = { standard: 300, maximum: 5000 };
/** A tree with more is not walked to its end. */
const MAX_ENTRIES = 200_000;

/** Journals of ollm: they are not part of the project. */
export const NOT_THE_PROJECT = ['.ollm', '.ollm/**'];

export function listFilesTool({ fileSystem, discovery }: Pick<BuiltinToolPorts, 'fileSystem' | 'discovery'>): Tool {
  return builtinTool({
    name: 'list_files',
    description:
      'Lists files and directories below a directory; a directory ends in "/". What .gitignore leaves out is not listed. Use pattern to look for names, and depth to see only the upper levels of a large project.',
    properties: {
      path: { type: 'string', minLength: 1, description: 'The directory. Default: the working directory.' },
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'A glob such as "*.ts" (any level) or "docs/**". Only what matches is listed.',
      },
      depth: { type: 'integer', minimum: 0, description: 'Levels below the directory: 0 is what is directly in it.' },
      limit: limitOf('entries', LIMIT),
    },
    examples: [{ path: 'lib', pattern: '*.ts' }],
    async plan({ path: given = '.', pattern, depth, limit = LIMIT.standard }, place) {
      const directory = resolvePath(fileSystem, given, place);
      const only = pattern === undefined ? '' : ` that match ${JSON.stringify(pattern)}`;
      return {
        action: {
          tool: 'list_files',
          summary: `List the files in ${placeName(directory.shown)}${only}`,
          isReadOnly: true,
          accesses: [{ kind: 'read', path: directory.path }],
        },
        async run({ signal }) {
          requireUnmoved(fileSystem, directory);
          const discover = await discovery();
          const found = discover({
            root: directory.path,
            ...(depth === undefined ? {} : { maxDepth: depth }),
            ...(pattern === undefined ? {} : { includePatterns: [pattern] }),
            excludePatterns: NOT_THE_PROJECT,
            signal,
          });
          const names: string[] = [];
          let isComplete = true;
          for await (const some of found.names()) {
            for (const entry of some) names.push(nameOf(entry, directory.path, place));
            isComplete = names.length < MAX_ENTRIES;
            if (!isComplete) break;
          }
          const { warnings, unreadable, tooDeep } = found.report;
          if (warnings.length > 0) throw new ToolFailure(warnings.join(' '));
          const notes = [
            ...(unreadable > 0 ? [`could not be read: ${formatCount(unreadable)}`] : []),
            ...(tooDeep > 0 && depth !== undefined ? [`not entered, because of depth: ${formatCount(tooDeep)}`] : []),
          ];
          return { content: listing(names.sort(), { limit, isComplete, notes, shown: directory.shown }) };
        },
      };
    },
  });
}

export function requireDirectory(kind: string | undefined, shown: string): void {
  if (kind === 'directory') return;
  throw new ToolFailure(
    kind === undefined ? `${shown} is not there.` : `${shown} is not a directory. file_read reads it.`,
  );
}

/** Holds even if a link replaced the file after the decision. */
export function requireUnmoved(fileSystem: Disk, directory: OpenedFile): void {
  const kind = fileSystem.stat(directory.path)?.kind;
  requireDirectory(kind === 'link' ? 'directory' : kind, directory.shown);
  if (fileSystem.realPath(directory.path) !== directory.path) throw moved(directory);
}

function nameOf({ relativePath, type }: FoundName, directory: string, { root }: ToolPlace): string {
  return shownPath(join(directory, relativePath), root) + (type === 'directory' ? '/' : '');
}

function listing(
  names: readonly string[],
  { limit, isComplete, notes, shown }: { limit: number; isComplete: boolean; notes: readonly string[]; shown: string },
): string {
  if (names.length === 0) return [`Nothing was found in ${placeName(shown)}.`, ...notes].join(' ');
  const more = names.length - limit;
  const left = isComplete ? `${formatCount(more)} more` : `more than ${formatCount(more)} more`;
  return [
    ...names.slice(0, limit),
    ...(more > 0 ? [`[… ${left}. Narrow it with path, pattern or depth, or raise limit.]`] : []),
    ...notes.map((note) => `[${note}]`),
  ].join('\n');
}
