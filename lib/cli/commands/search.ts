// `ollm search`: messages of all sessions, best first.
import { type Command, Option } from 'commander';
import { marksOf, meantIn, NOTHING_FOUND, whatOf } from '../../app/sessions/read/hit-words.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from '../../app/sessions/read/search-sessions.ts';
import { printable, printableLine, tabbedLine } from '../../display/printable.ts';
import { formatTime } from '../../display/quantities.ts';
import { parseCount, parseDirectory, parseSince, type Since } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly agent?: string;
  readonly project?: string;
  readonly role?: NonNullable<SearchRequest['role']>;
  readonly tool?: string;
  readonly path?: string;
  readonly title?: string;
  readonly since?: Since;
  readonly regex?: boolean;
  readonly exact?: boolean;
  readonly limit: number;
}

const DEFAULT_LIMIT = 20;
/** How long sessions of other programs that are new may be read where nothing was found. */
const SYNC_OTHERS_MS = 2_000;

export function defineSearch(program: Command, finish: Finish): void {
  const command = program
    .command('search')
    .description('find sessions, messages, tool calls and outputs of all programs, best first')
    .argument('[words...]', 'all must be there; "a phrase", begin*, -not, agent:claude, since:2w, title:…, path:…')
    .option('--agent <name>', 'only sessions of this program, such as ollm')
    .option(
      '--project <directory>',
      'only sessions of this directory and below, such as ., and of other clones of its repository',
      parseDirectory,
    )
    .addOption(
      new Option('--role <role>', 'only what this role said').choices([
        'user',
        'assistant',
        'tool',
        'system',
      ] satisfies Options['role'][]),
    )
    .option('--tool <name>', 'only calls of this tool and their outputs')
    .option('--path <path>', 'only sessions of which a call names this file or directory')
    .option('--title <words>', 'only sessions whose title has these words side by side')
    .option('--since <time>', 'nothing older than this, such as 2w, 12h or 2026-11-21', parseSince)
    .option('--regex', 'search by a regular expression, newest first; upper and lower case are the same')
    .option('--exact', 'nothing that has only most of the words, or other forms of them')
    .option('-n, --limit <count>', 'show at most N messages', parseCount, DEFAULT_LIMIT)
    .action(
      action<Options, [string[]]>(finish, async (shell, options, words) => {
        const app = await shell.openApp('search');
        const { searchSessions } = await import('../../app/sessions/read/search-sessions.ts');
        const { since, project, regex, exact, ...rest } = options;
        const request: SearchRequest = {
          ...rest,
          text: words.join(' '),
          isRegex: regex,
          isExact: exact,
          project,
          sinceMs: since?.(app.clock.now()),
        };
        await print(shell, await searchSessions(app, request, { signal: shell.signal, syncOthersMs: SYNC_OTHERS_MS }));
      }),
    );
  withExamples(command, [
    { line: 'ollm search connection reset', does: 'messages with both words' },
    {
      line: `ollm search '"connection reset" retr* -test'`,
      does: 'a phrase, the beginning of a word, and one that must not be there',
    },
    { line: 'ollm search deadlock --project . --since 2w --role user', does: 'what you said about it here, lately' },
    {
      line: 'ollm search title:deadlock agent:claude since:3w',
      does: 'sessions of Claude Code of the last three weeks whose title has the word',
    },
    {
      line: 'ollm search timeout path:src/queue.ts tool:bash',
      does: 'what bash was asked and printed in sessions that touched this file',
    },
    {
      line: 'ollm search where did I fix the scroll to bottom',
      does: 'a question: messages with most of its words, in any form, are marked as near',
    },
    {
      line: `ollm search --regex 'E[A-Z]{4,}: .*lock' --json | jq -r .address`,
      does: 'by a regular expression; where they are, for a script',
    },
  ]);
}

async function print({ output }: Shell, answer: SearchAnswer): Promise<void> {
  const { hits, isCut, leftOut } = answer;
  for (const hit of hits) {
    if (output.json) await output.line(JSON.stringify(await documentOf(hit)));
    else if (!output.isTerminal) await output.data(tabbedLine(cellsOf(hit)));
    else await printHit(output, hit);
  }
  for (const sentence of [...meantIn(answer), ...leftOut]) output.note(sentence);
  if (hits.length === 0 && !isCut) output.note(NOTHING_FOUND);
  else if (isCut) output.note('There is more: --limit shows it.');
}

/** With the command that goes on with its session in its own program. */
async function documentOf(hit: SearchHit): Promise<object> {
  const { resumeCommand } = await import('../../app/sessions/read/resume-command.ts');
  const { importId } = hit;
  const resume =
    importId !== undefined ? ['ollm', 'resume', importId] : hit.gone ? undefined : await resumeCommand(hit);
  return { ...hit, seq: undefined, resume };
}

/** For a pipe: address, time, role, kind, title, the words around, and `near` for a hit that is. */
function cellsOf({ address, at, role, kind, title, excerpt, isNear }: SearchHit): readonly unknown[] {
  return [address, at, role, kind, title, excerpt.text, ...(isNear ? ['near'] : [])];
}

async function printHit(output: Output, hit: SearchHit): Promise<void> {
  const { colors } = output;
  const { address, at, title = '', why, excerpt } = hit;
  const when = at === undefined ? '' : formatTime(at);
  // The title is in the words around then.
  const name = why === 'title' || why === 'filter' ? '' : printableLine(title);
  const head = [when, whatOf(hit), ...marksOf(hit), name].filter((part) => part !== '');
  await output.line(`${colors.bold(printableLine(address))}  ${colors.dim(head.join(' · '))}`);
  await output.line(`  ${marked(output, excerpt)}`);
}

function marked({ colors }: Output, { text, marks }: SearchHit['excerpt']): string {
  let shown = '';
  let done = 0;
  for (const [start, end] of marks) {
    shown += printable(text.slice(done, start)) + colors.yellow(printable(text.slice(start, end)));
    done = end;
  }
  return shown + printable(text.slice(done));
}
