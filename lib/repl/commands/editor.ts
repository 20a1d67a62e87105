// /editor: a message is written in the user's own editor, and sent when he leaves it.
import { OllmError } from '../../errors/index.ts';
import type { ReplCommand } from './command.ts';

export const editorCommand: ReplCommand = {
  name: 'editor',
  group: 'conversation',
  arguments: '[TEXT]',
  summary: 'opens $VISUAL or $EDITOR and sends what you write there',
  details: 'The file begins with TEXT. An empty file, or an editor that fails, sends nothing',
  example: '/editor Compare these two:',
  legal: 'writable',
  async run({ front, signal }, argument) {
    const { externalEditor } = front;
    if (externalEditor === undefined) throw noEditor(front.kind);
    const text = (await externalEditor.edit(argument, { extension: 'md', signal })).trimEnd();
    if (text.trim() === '') {
      front.notice('Nothing was written, and nothing is sent.');
      return undefined;
    }
    return { type: 'message', text };
  },
};

function noEditor(kind: 'terminal' | 'pipe'): OllmError {
  if (kind === 'pipe') return new OllmError('USAGE', '/editor needs a terminal.');
  return new OllmError('EDITOR_FAILED', 'No editor is named.', {
    hint: 'Set VISUAL or EDITOR, as in: EDITOR=nano ollm repl',
  });
}
