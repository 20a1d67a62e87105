// The commands about the REPL itself and the project around it.
import { findFileNames } from '../../app/project/find-files.ts';
import { countOf } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { ReplCommand } from './command.ts';

export const clearCommand: ReplCommand = {
  name: 'clear',
  group: 'repl',
  arguments: '',
  summary: 'clears the screen; the conversation stays',
  example: '/clear',
  legal: 'always',
  async run({ front, conversation }) {
    front.clearScreen();
    if (conversation.session.states.summary.turnCount > 0)
      front.notice('The conversation stays, and the model still sees it. /new begins another.');
  },
};

const MOST_SHOWN = 200;

export const filesCommand: ReplCommand = {
  name: 'files',
  group: 'repl',
  arguments: '[GLOB]',
  summary: 'lists the files of the project, or those that match',
  details: `A glob without a slash is matched against names: /files *.ts. At most ${MOST_SHOWN} are shown; ollm files lists all`,
  example: '/files *.md',
  legal: 'always',
  async run({ app, front }, argument) {
    const glob = argument.trim();
    const include = glob === '' ? [] : [glob];
    const { files, report } = await findFileNames(app, { root: app.paths.project, include });
    for (const warning of report.warnings) front.notice(warning);
    front.print(...files.slice(0, MOST_SHOWN).map(({ relativePath }) => sanitizeLine(relativePath)));
    const more = files.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} shown` : '';
    front.notice(`${countOf(files.length, 'file')} in ${app.paths.project}${more}.`);
  },
};

export const quitCommand: ReplCommand = {
  name: 'quit',
  aliases: ['exit', 'q', 'bye'],
  group: 'repl',
  arguments: '',
  summary: 'closes the session and leaves',
  example: '/quit',
  legal: 'always',
  async run() {
    return { type: 'quit' };
  },
};
