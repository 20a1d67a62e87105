// `ollm search`: messages of all sessions, best first.
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { marksOf, NOTHING_FOUND } from '../../app/sessions/read/hit-words.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from '../../app/sessions/read/search-sessions.ts';
import { printable, printableLine } from '../../display/printable.ts';
import { formatTime } from '../../display/quantities.ts';
import { parseAge, parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly agent?: string;
  readonly project?: string;
  readonly role?: NonNullable<SearchRequest['role']>;
  readonly since?: number;
  readonly regex?: boolean;
  readonly limit: number;
}

const DEFAULT_LIMIT = 20;

export function defineSearch(program: Command, finish: Finish): void {
  const command = program
    .command('search')
    .description('find messages, tool calls and outputs in all sessions, best first')
    .argument('<words...>', 'all must be there; "a phrase", begin*, -not')
    .option('--agent <name>', 'only sessions of this program, such as ollm')
    .option(
      '--project <directory>',
      'only sessions of this directory and below, such as ., and of other clones of its repository',
    )
    .addOption(
      new Option('--role <role>', 'only what this role said').choices([
        'user',
        'assistant',
        'tool',
        'system',
      ] satisfies Options['role'][]),
    )
    .option('--since <age>', 'nothing older than this, such as 2w, 30d or 12h', parseAge)
    .option('--regex', 'search by a regular expression, newest first; upper and lower case are the same')
    .option('-n, --limit <count>', 'show at most N messages', parseCount, DEFAULT_LIMIT)
    .action(
      action<Options, [string[]]>(finish, async (shell, options, words) => {
        const app = await shell.openApp('search');
        const { searchSessions } = await import('../../app/sessions/read/search-sessions.ts');
        const { since, project, regex, ...rest } = options;
        const request: SearchRequest = {
          ...rest,
          text: words.join(' '),
          isRegex: regex,
          project: project === undefined ? undefined : resolve(project),
          sinceMs: since === undefined ? undefined : app.clock.now() - since,
        };
        await print(shell, await searchSessions(app, request, { signal: shell.signal }));
        return 0;
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
      line: `ollm search --regex 'E[A-Z]{4,}: .*lock' --json | jq -r .address`,
      does: 'by a regular expression; where they are, for a script',
    },
  ]);
}

async function print({ output }: Shell, { hits, isCut, leftOut }: SearchAnswer): Promise<void> {
  for (const hit of hits) {
    if (output.json) await output.line(JSON.stringify({ ...hit, seq: undefined }));
    else if (!output.isTerminal) await output.data(`${tabbedLine(hit)}\n`);
    else await printHit(output, hit);
  }
  for (const sentence of leftOut) output.note(sentence);
  if (hits.length === 0) output.note(NOTHING_FOUND);
  else if (isCut) output.note('There is more: --limit shows it.');
}

/** For a pipe: address, time, role, kind, title, the words around. */
function tabbedLine({ address, at = '', role, kind, title = '', excerpt }: SearchHit): string {
  return [address, at, role, kind, title, excerpt.text].map(printableLine).join('\t');
}

async function printHit(output: Output, hit: SearchHit): Promise<void> {
  const { colors } = output;
  const { address, at = '', role, kind, title, excerpt } = hit;
  const what = role === 'tool' ? `tool ${kind}` : role;
  const head = [formatTime(at), what, ...marksOf(hit), printableLine(title ?? '')].filter((part) => part !== '');
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
