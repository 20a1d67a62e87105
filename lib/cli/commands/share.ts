// `ollm share`: a session as one page to give away. The counts of secrets in it are shown first.
import type { Command } from 'commander';
import type { TakenOut } from '../../app/sessions/read/share-session.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { parseAge, parseCount, parseDollars, parseRange, parseText } from '../arguments.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import { confirm } from '../confirm.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly static?: boolean;
  readonly events?: { readonly from: number; readonly to: number };
  readonly output?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly imported?: boolean;
  readonly expires?: number;
  readonly takePart?: boolean;
  readonly turns?: number;
  readonly cost?: number;
  readonly list?: boolean;
  readonly revoke?: string;
}

export function defineShare(program: Command, finish: Finish): void {
  const command = program
    .command('share')
    .description('give a session away: as one page without secrets, or as a link of the server')
    .argument('[id]', CONVERSATION_ARGUMENT)
    .option('--static', 'a page that is complete in itself: no script, no server')
    .option('--events <from-to>', 'only these events, such as 12-40', parseRange)
    .option('-o, --output <file>', 'a new file; default: ID.html in the current directory')
    .option('--expires <age>', 'how long a link holds, at most 90d; default: 7d', parseAge)
    .option('--take-part', 'a guest with the link also takes turns, where server.guestsMayWrite is set')
    .option('--turns <n>', 'with --take-part: at most N turns by this link; default: 50', parseCount)
    .option('--cost <dollars>', 'with --take-part: no more turns once the session cost this since', parseDollars)
    .option('--list', 'the links that hold')
    .option('--revoke <link>', 'end a link at once, by itself or by its name in the list', parseText)
    .option('--dry-run', 'say what would be taken out, and write nothing')
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, [string | undefined]>(finish, async (shell, options, reference) => {
        const { output, signal } = shell;
        const { list, revoke, expires, takePart, turns, cost } = options;
        if (!list && revoke === undefined && reference === undefined) throw noSession();
        requireTogether(options);
        const app = await shell.openApp('share');
        if (!options.static || reference === undefined) {
          const links = await import('./share-link.ts');
          if (revoke !== undefined) return links.revokeLink(app, output, revoke);
          if (list || reference === undefined) return links.listLinks(app, output);
          return links.shareByLink(app, output, reference, {
            ...{ holdsMs: expires, mayWrite: takePart, mostTurns: turns, mostCost: cost },
          });
        }
        const { shareSession } = await import('../../app/sessions/read/share-session.ts');
        const request = { ...options.events, imported: options.imported, signal };
        const page = await shareSession(app, reference, request);
        const { id, takenOut, damaged, inTheClear } = page;
        const exitCode = await tellCautions(output, app, id, damaged);
        const file = options.output ?? `${id.replace(/[^\w.-]+/g, '-')}.html`;
        const warning = `${sentenceOf(takenOut)}${inTheClear ? ' The session is encrypted; the page is not.' : ''}`;
        const isRefused = options.dryRun || !(await confirm(shell, { warning, reversible: false, yes: options.yes }));
        if (isRefused) {
          await page.chunks.return();
          if (options.dryRun && output.json) await output.document({ id, ...takenOut });
          else if (options.dryRun) await output.line(sentenceOf(takenOut));
          return options.dryRun ? exitCode : 1;
        }
        const { writeExportFile } = await import('../../app/sessions/read/export-file.ts');
        const path = await writeExportFile(app, page, file, { isNew: true });
        const bytes = app.fileSystem.stat(path)?.size ?? 0;
        if (output.json) await output.document({ id, path, bytes, ...takenOut });
        else {
          if (options.yes) output.note(warning);
          await output.line(`Wrote ${path}, ${formatBytes(bytes)}.`);
        }
        return exitCode;
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm share @last --static', does: 'the last session, after showing what is left out' },
    { line: 'ollm share claude:5f3c --static --events 12-40 -o bug.html', does: 'a part of a session of Claude Code' },
    { line: 'ollm share notes --expires 2d', does: 'a link of the server that runs, for a guest who reads' },
    {
      line: 'ollm share notes --take-part --turns 10 --cost 2',
      does: 'a link for a guest who also asks, where the server allows it',
    },
    { line: 'ollm share --list', does: 'the links that hold' },
    { line: 'ollm share notes --static --dry-run', does: 'only what would be taken out' },
  ]);
}

/** @throws OllmError USAGE: a link would show more than the options of a page say, and a page takes none of a link */
function requireTogether(options: Options): void {
  const { static: isPage, events, output, dryRun, expires, takePart, turns, cost } = options;
  if (!isPage && !takePart && (turns ?? cost) !== undefined) {
    throw new OllmError('USAGE', '--turns and --cost are about a guest who takes part.', { hint: 'Add --take-part.' });
  }
  const ofPage = { '--events': events, '--output': output, '--dry-run': dryRun };
  const ofLink = { '--expires': expires, '--take-part': takePart, '--turns': turns, '--cost': cost };
  const [wrong] = Object.entries(isPage ? ofLink : ofPage).find(([, value]) => value !== undefined) ?? [];
  if (wrong === undefined) return;
  throw isPage
    ? new OllmError('USAGE', `${wrong} is about a link, and --static writes a page.`, {
        hint: `Leave out one of them.`,
      })
    : new OllmError('USAGE', `${wrong} is about a page; a link shows all of the session.`, { hint: 'Add --static.' });
}

function noSession(): OllmError {
  return new OllmError('USAGE', 'Which session is to be shared?', { hint: 'Name it: "ollm share @last --static".' });
}

function sentenceOf({ secrets, homePaths, events }: TakenOut): string {
  const kinds = Object.entries(secrets).map(([kind, count]) => `${count} ${kind}`);
  const out = kinds.length === 0 ? 'no secret was recognised' : `taken out: ${kinds.join(', ')}`;
  const home = homePaths === 0 ? '' : `; $HOME stands for a home directory in ${countOf(homePaths, 'place')}`;
  return `${countOf(events, 'event')}; ${out}${home}. Names, code and what else was said stay: look at the page first.`;
}
