// `blame`: which conversation wrote lines of a file of the project, for a client of the server. Texts of the file are
// not in the answer: the client has its own rules on which files it may read.
import { relative, resolve } from 'node:path';
import type { App } from '../app/app.ts';
import { blameFile, type LineBlame } from '../app/blame/blame-file.ts';
import { excerpt } from '../display/excerpt.ts';
import { printableLine } from '../display/printable.ts';
import { OllmError } from '../errors/index.ts';
import { isInside } from '../platform/files/inside.ts';
import { catchUp } from './catch-up.ts';
import type { ServedScope } from './client-scope.ts';
import type { ServedTool } from './served-tool.ts';

export function blameTool(app: App, { project = app.paths.project }: ServedScope): ServedTool {
  return {
    name: 'blame',
    title: 'Blame',
    description:
      'Says which stored conversation wrote lines of a file of this project: session, prompt, model, when, who ' +
      'allowed it, and the commit. read_session reads the conversation at the address. “unknown” means that no ' +
      'stored session wrote the line, and not that a person did.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, maxLength: 4096, description: 'From the root of the project on.' },
        line: { type: 'integer', minimum: 1, description: 'The first line. Default: all.' },
        to_line: { type: 'integer', minimum: 1, description: 'The last line. Default: the first.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async run({ path, line, to_line: to = line }, signal) {
      const file = insideOf(app, project, String(path));
      const missing = await catchUp(app, signal);
      const range = { from: line as number | undefined, to: to as number | undefined };
      const { lines, notes } = await blameFile(app, { file, ...range, project, signal });
      const quoted = runsOf(lines).map(describe).join('\n');
      return { quoted, notes: missing === undefined ? notes : [missing, ...notes] };
    },
  };
}

/** @throws OllmError USAGE: the file is outside of the project, also by a link */
function insideOf({ fileSystem }: App, project: string, path: string): string {
  const root = fileSystem.realPath(project);
  const file = resolve(root, path);
  const real = fileSystem.stat(file) === undefined ? file : fileSystem.realPath(file);
  if (isInside(root, file) && isInside(root, real)) return file;
  throw new OllmError('USAGE', `${path} is outside of the project.`, {
    hint: `Name a file in it, such as ${relative(root, resolve(root, 'README.md'))}.`,
  });
}

/** Lines next to each other with the same verdict. */
function runsOf(lines: readonly LineBlame[]): (readonly LineBlame[])[] {
  const runs: LineBlame[][] = [];
  const keyOf = ({ class: found, why, commit, call }: LineBlame) =>
    JSON.stringify([found, why, call?.session, call?.seq, call && commit]);
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && keyOf(last[0]!) === keyOf(line)) last.push(line);
    else runs.push([line]);
  }
  return runs;
}

function describe(run: readonly LineBlame[]): string {
  const { line, class: found, why, call, commit } = run[0]!;
  const last = run.at(-1)!.line;
  const place = line === last ? `line ${line}` : `lines ${line}-${last}`;
  const cells = [
    `${place}: ${found}${why === undefined ? '' : ` (${why})`}`,
    ...(call === undefined
      ? []
      : [
          `${call.session}#${call.seq}`,
          call.at,
          call.model,
          call.turn === undefined ? call.tool : `${call.tool} in turn ${call.turn}`,
          call.decision === undefined ? 'decision not recorded' : `allowed by ${call.decision.by}`,
          commit === undefined ? 'not committed' : `commit ${commit.slice(0, 12)}`,
          call.prompt === undefined ? undefined : `“${excerpt(call.prompt)}”`,
        ]),
  ];
  return cells
    .filter((cell) => cell !== undefined)
    .map(printableLine)
    .join(' · ');
}
