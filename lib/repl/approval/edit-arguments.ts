// Lets the user change what a call would do, before it is planned and decided on again: a command as a line, the text
// of a file in an editor, everything else as JSON, in an editor where there is one and the text is long. What does not
// show is written as its number there too.
import { sanitize } from '../../display/sanitize.ts';
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import type { ApprovalRequest } from '../../tools/decision.ts';
import type { ExternalEditor } from '../input/external-editor.ts';
import type { LineEditor } from '../input/line-editor.ts';

interface EditRequest {
  readonly request: ApprovalRequest;
  readonly args: unknown;
}

/** Undefined: the user left the arguments unchanged. @throws OllmError USAGE: the text is not JSON; EDITOR_FAILED */
export type EditArguments = (edit: EditRequest, signal: AbortSignal) => Promise<unknown>;

interface ArgumentEditorOptions {
  readonly editor: Pick<LineEditor, 'readAside'>;
  /** Absent where no editor is named. */
  readonly external: ExternalEditor | undefined;
  /** Ctrl+C in the line. */
  readonly onInterrupt: () => void;
}

const LONGEST_LINE = 300;

export function createArgumentEditor({ editor, external, onInterrupt }: ArgumentEditorOptions): EditArguments {
  const editLine = async (text: string, signal: AbortSignal): Promise<string | undefined> => {
    const changed = await askAside({ editor, onInterrupt }, 'edit> ', { text, signal });
    return changed === text ? undefined : changed;
  };
  const editText = async (text: string, signal: AbortSignal): Promise<string | undefined> => {
    const changed = await external!.edit(text, { extension: 'json', signal });
    return changed.trim() === text.trim() ? undefined : changed;
  };

  return async ({ request, args }, signal) => {
    const member = commandMember(request, args);
    if (member !== undefined) {
      const line = await editLine(member.line, signal);
      return line === undefined ? undefined : { ...member.args, [member.name]: line };
    }
    const file = fileMember(args);
    if (file !== undefined && external !== undefined) {
      const changed = await external.edit(file.text, { extension: file.extension, signal });
      const text = file.text.endsWith('\n') ? changed : changed.replace(/\n$/, '');
      return text === file.text ? undefined : { ...file.args, [file.name]: text };
    }
    const short = visibleJson(args);
    const changed =
      external !== undefined && short.length > LONGEST_LINE
        ? await editText(visibleJson(args, 2), signal)
        : await editLine(short, signal);
    return changed === undefined || changed.trim() === '' ? undefined : parse(changed);
  };
}

/** A line of the user next to a question. Ctrl+C cancels the turn, as the end of the terminal does. */
export async function askAside(
  { editor, onInterrupt }: Pick<ArgumentEditorOptions, 'editor' | 'onInterrupt'>,
  prompt: string,
  options: Parameters<LineEditor['readAside']>[1],
): Promise<string | undefined> {
  const read = await editor.readAside(prompt, options);
  if (read.type !== 'interrupt' && read.type !== 'gone') return read.type === 'line' ? read.text : undefined;
  onInterrupt();
  throw interrupted();
}

export function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'The question was not answered.');
}

/** The argument that is the command, where a line can show it as it is. */
function commandMember({ action }: ApprovalRequest, args: unknown) {
  if (action.command?.kind !== 'shell' || typeof args !== 'object' || args === null) return undefined;
  const { line } = action.command;
  if (line.includes('\n') || sanitize(line) !== line) return undefined;
  const name = Object.entries(args).find(([, value]) => value === line)?.[0];
  return name === undefined ? undefined : { name, line, args };
}

/** The argument that is the text of a file, or of a part of one, where an editor shows it as it is. */
function fileMember(args: unknown) {
  if (!isObject(args) || typeof args.path !== 'string') return undefined;
  const name = ['content', 'new_string'].find((each) => typeof args[each] === 'string');
  if (name === undefined) return undefined;
  const text = args[name] as string;
  const extension = /\.([A-Za-z0-9]{1,12})$/.exec(args.path)?.[1] ?? 'txt';
  return sanitize(text) === text ? { name, text, extension, args } : undefined;
}

function visibleJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent) ?? 'null';
  return Array.from(json, (character) =>
    character === '\n' || sanitize(character) === character ? character : escaped(character),
  ).join('');
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OllmError('USAGE', `That is not JSON: ${(error as Error).message}.`, {
      hint: 'Press e to try again; the call is as it was.',
    });
  }
}
