// Searches the texts of the project for a plain text, or for a regular expression on request. It skips and counts files
// that are ignored, binary, too large or likely to hold credentials, and those whose reading would need a question.
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Discovery } from '../../discovery/types.ts';
import { countOf } from '../../display/quantities.ts';
import { isText } from '../kind-of-bytes.ts';
import { placeName, type ResolvedPath, resolvePath, shownPath } from '../paths.ts';
import { type Tool, ToolFailure, type ToolPlace } from '../tool.ts';
import { builtinTool, limitOf } from './builtin-tool.ts';
import { requireUnmoved } from './list-files.ts';
import { createMatcher, type Matcher } from './matcher.ts';
import { readWhole } from './opened-file.ts';
import { type BuiltinToolPorts, mayRead } from './ports.ts';

const LIMIT = { standard: 100, maximum: 1000 };
const MAX_PER_FILE = 20;
const MAX_QUERY_CHARACTERS = 1000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 50_000;
const FILES_BETWEEN_BREATHS = 16;

type SearchPorts = Pick<BuiltinToolPorts, 'fileSystem' | 'discovery' | 'mayRead'>;

export function searchFilesTool(ports: SearchPorts): Tool {
  return builtinTool({
    name: 'search_files',
    description:
      'Searches the texts of the project and gives the lines that match, as path:line: text. The query is taken literally; set is_regex for a JavaScript regular expression, which is held against each line. What .gitignore leaves out is not searched.',
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_QUERY_CHARACTERS,
        description: 'What to look for, within one line.',
      },
      path: { type: 'string', minLength: 1, description: 'A directory or one file. Default: the working directory.' },
      include: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'A glob such as "*.ts": only files that match are searched.',
      },
      is_regex: { type: 'boolean', description: 'Whether the query is a regular expression. Default: false.' },
      ignore_case: { type: 'boolean', description: 'Whether upper and lower case are the same. Default: false.' },
      limit: limitOf('lines', LIMIT),
    },
    required: ['query'],
    examples: [{ query: 'createSession', include: '*.ts' }],
    async plan(args, place) {
      const { query, is_regex: isRegex = false, ignore_case: ignoreCase = false } = args;
      const { include, limit = LIMIT.standard } = args;
      if (/[\r\n]/.test(query))
        throw new ToolFailure('The query spans lines, which is not possible. Give one line of it.');
      const where = resolvePath(ports.fileSystem, args.path ?? '.', place);
      const matches = createMatcher({ query, isRegex, ignoreCase });
      return {
        action: {
          tool: 'search_files',
          summary: `Search ${placeName(where.shown)} for ${JSON.stringify(query)}`,
          isReadOnly: true,
          accesses: [{ kind: 'read', path: where.path }],
        },
        run: async ({ signal }) => ({
          content: await search(ports, { query, include, limit, where, place, matches }, signal),
        }),
      };
    },
  });
}

interface Search {
  readonly query: string;
  readonly include: string | undefined;
  readonly limit: number;
  readonly where: ResolvedPath;
  readonly place: ToolPlace;
  readonly matches: Matcher;
}

async function search(ports: SearchPorts, sought: Search, signal: AbortSignal): Promise<string> {
  const { where, place, matches, limit } = sought;
  const found = { lines: [] as string[], more: 0, files: 0 };
  const skipped = new Map<string, number>();
  let searched = 0;
  for await (const { path, text, skip } of textsOf(ports, sought, signal)) {
    if (searched % FILES_BETWEEN_BREATHS === 0) await breathe();
    signal.throwIfAborted();
    searched += 1;
    if (skip !== undefined) skipped.set(skip, (skipped.get(skip) ?? 0) + 1);
    if (text === undefined) continue;
    const room = Math.min(MAX_PER_FILE, limit - found.lines.length);
    const { matches: lines, more } = matches(text, room);
    const shown = shownPath(path, place.root);
    if (lines.length + more > 0) found.files += 1;
    found.more += more;
    for (const line of lines) found.lines.push(`${shown}:${line.line}: ${line.text}`);
  }
  const passedBy = [...skipped].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const extent = `Looked at ${countOf(searched, 'file')} of ${placeName(where.shown)}${passedBy === '' ? '' : `; skipped: ${passedBy}`}`;
  if (found.lines.length === 0) return `${JSON.stringify(sought.query)} was not found. ${extent}.`;
  const more = found.more > 0 ? `${countOf(found.more, 'more line')} match; narrow it with path or include. ` : '';
  return [...found.lines, `[${more}Found in ${countOf(found.files, 'file')}. ${extent}.]`].join('\n');
}

interface SearchedText {
  readonly path: string;
  readonly text?: string | undefined;
  /** Why there is none. */
  readonly skip?: string | undefined;
}

const SKIP_WORDS = {
  binary: 'without text',
  large: 'too large',
  credentials: 'likely to hold credentials',
  unreadable: 'unreadable',
} as const;

async function* textsOf(
  ports: SearchPorts,
  { where, place, include }: Search,
  signal: AbortSignal,
): AsyncGenerator<SearchedText, void, void> {
  if (ports.fileSystem.stat(where.path)?.kind !== 'directory') {
    const { bytes } = readWhole(ports.fileSystem, where, MAX_FILE_BYTES);
    if (!isText(bytes)) throw new ToolFailure(`${where.shown} is not text.`);
    yield { path: where.path, text: new TextDecoder().decode(bytes) };
    return;
  }
  requireUnmoved(ports.fileSystem, where);
  const { createProjectFiles } = await import('../../discovery/project-files.ts');
  const discover = await ports.discovery();
  let found: Discovery | undefined;
  const files = createProjectFiles({
    root: where.path,
    discover: (options) => {
      found = discover(include === undefined ? options : { ...options, includePatterns: [include] });
      return found;
    },
    maxFiles: MAX_FILES,
    maxFileBytes: MAX_FILE_BYTES,
    maxListedBytes: Number.POSITIVE_INFINITY,
    maxKeptCharacters: 0,
  });
  const { paths, isCut } = await files.list({ signal });
  const warnings = found?.report.warnings ?? [];
  if (warnings.length > 0) throw new ToolFailure(warnings.join(' '));
  const isUnasked = mayRead(ports, where.path, place) === 'allow';
  for (const relativePath of paths) {
    const path = join(where.path, relativePath);
    const reading = mayRead(ports, path, place);
    // A user who let a directory be searched that must be asked about let its files be read too, except those that
    // are denied.
    if (reading === 'deny' || (reading === 'ask' && isUnasked)) {
      yield { path, skip: 'not to be read without being asked for' };
      continue;
    }
    const document = await files.read(relativePath);
    yield 'text' in document ? { path, text: document.text } : { path, skip: SKIP_WORDS[document.skipped] };
  }
  if (isCut) yield { path: where.path, skip: `or more beyond the first ${MAX_FILES}` };
}
