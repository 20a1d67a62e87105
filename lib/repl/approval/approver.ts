// Asks the user on the terminal whether a call may run. The question is printed, its keys stand below it; one question at a
// time. What was typed ahead, pasted or piped answers nothing (input/key-prompt.ts). Ctrl+C cancels the turn.
import { OllmError } from '../../errors/index.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../tools/decision.ts';
import { DECLINING_KEYS, type KeyAnswers } from '../input/key-prompt.ts';
import type { LineEditor } from '../input/line-editor.ts';
import type { Line, Paint } from '../render/paint.ts';
import { createRegion } from '../render/region.ts';
import type { Screen } from '../render/screen.ts';
import { wrapSpans } from '../render/wrap.ts';
import type { TurnView } from '../turn-view.ts';
import { approvalLines } from './approval-lines.ts';
import type { EditArguments } from './edit-arguments.ts';

export interface ApproverOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly editor: Pick<LineEditor, 'key' | 'readAside'>;
  /** The turn that is shown now. */
  readonly view: () => TurnView | undefined;
  readonly editArguments: EditArguments;
  /** Called when there is something to answer; for whoever looks elsewhere. */
  readonly onAsked: () => void;
  /** Called with each new size of the screen; answers with how to stop that. */
  readonly onResize: (listener: () => void) => () => void;
  /** Ctrl+C in a line of the question. */
  readonly onInterrupt: () => void;
}

type Key = 'yes' | 'no' | 'always' | 'edit' | 'all' | 'explain';

const EXPLANATIONS: readonly (readonly [Key, string])[] = [
  ['yes', 'y  runs it this once'],
  ['no', 'n  does not; then you may tell the model why. So do Enter and Escape, without words'],
  ['always', 'a  runs it, and from now on whatever the named rule allows, without asking; /tools takes that back'],
  ['edit', 'e  lets you change it first; it is looked at anew then'],
  ['all', 'v  shows all of it, at the width that the screen has now'],
  ['explain', '?  shows this. Ctrl+C cancels the whole turn'],
];
const LETTERS: Readonly<Record<Key, string>> = { yes: 'y', no: 'n', always: 'a', edit: 'e', all: 'v', explain: '?' };
const WORDS: Readonly<Record<Key, string>> = {
  yes: '[y]es',
  no: '[n]o',
  always: '[a]lways',
  edit: '[e]dit',
  all: '[v]iew all',
  explain: '[?]',
};
/** Rows for the keys, and for what stands above a question. */
const RESERVED_ROWS = 4;

export function createApprover(options: ApproverOptions): Approver {
  const { screen, paint, editor } = options;
  let queue: Promise<unknown> = Promise.resolve();

  const print = (lines: readonly Line[]) => screen.write(lines.map((line) => `${paint.line(line)}\n`).join(''));
  const say = (text: string, ...styles: Line[number]['styles']) =>
    print(wrapSpans([{ text, styles }], screen.columns - 1));

  /** Whether the turn goes on to be shown afterwards is up to whoever asked. */
  async function ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const rows = Math.max(0, screen.rows - RESERVED_ROWS);
    print([[], ...approvalLines(request, { columns: screen.columns - 1, rows }).lines]);
    options.onAsked();
    for (;;) {
      const key = await readKey(request, signal);
      switch (key) {
        case undefined:
          throw interrupted();
        case 'yes':
          return { kind: 'once' };
        case 'always':
          return { kind: 'always' };
        case 'no':
          return { kind: 'no', words: undefined };
        case 'words':
          return { kind: 'no', words: await askForWords(signal) };
        case 'all': {
          const whole = approvalLines(request, { columns: screen.columns - 1, rows: Number.POSITIVE_INFINITY });
          print([[], ...whole.lines]);
          break;
        }
        case 'explain':
          for (const [of, text] of EXPLANATIONS) if (keysOf(request).includes(of)) say(text, 'dim');
          break;
        case 'edit': {
          const args = await edit(request, signal);
          if (args !== undefined) return { kind: 'edit', args };
          break;
        }
      }
    }
  }

  /** `no` without a word for the keys that only decline. */
  async function readKey(request: ApprovalRequest, signal: AbortSignal): Promise<Key | 'words' | undefined> {
    const keys = keysOf(request);
    const answers: KeyAnswers<Key | 'words'> = {
      ...Object.fromEntries(keys.map((key) => [LETTERS[key], key === 'no' ? 'words' : key] as const)),
      ...Object.fromEntries(DECLINING_KEYS.map((key) => [key, 'no'] as const)),
    };
    const region = createRegion(screen, paint);
    const line: Line = [{ text: keys.map((key) => WORDS[key]).join('  '), styles: ['bold'] }];
    const draw = () => region.show(wrapSpans(line, screen.columns - 1));
    // The first moment, in which no key counts, begins before anybody can see the question: what is pressed long enough
    // after it is seen counts for sure, however busy the machine is.
    const pressed = editor.key(answers, signal);
    if (screen.movable) draw();
    else say(keys.map((key) => WORDS[key]).join('  '));
    const stopWatching = options.onResize(draw);
    try {
      const key = await pressed;
      region.clear();
      if (key !== undefined)
        say(`→ ${key === 'words' ? 'no' : SAID[key]}`, key === 'yes' || key === 'always' ? 'green' : 'dim');
      return key;
    } finally {
      stopWatching();
    }
  }

  async function askForWords(signal: AbortSignal): Promise<string | undefined> {
    const read = await editor.readAside('What shall it do instead? (Enter: no words) ', { signal });
    if (read.type === 'interrupt' || read.type === 'gone') {
      options.onInterrupt();
      throw interrupted();
    }
    const words = read.type === 'line' ? read.text.trim() : '';
    return words === '' ? undefined : words;
  }

  async function edit(request: ApprovalRequest, signal: AbortSignal): Promise<unknown> {
    const view = options.view();
    try {
      const args = await options.editArguments({ request, args: view?.argsOf(request.callId) }, signal);
      if (args !== undefined) view?.setArgs(request.callId, args);
      else say('Nothing was changed.', 'dim');
      return args;
    } catch (error) {
      if (!(error instanceof OllmError) || signal.aborted) throw error;
      say(error.message, 'red');
      if (error.hint !== undefined) say(error.hint);
      return undefined;
    }
  }

  function keysOf({ callId, decision }: ApprovalRequest): readonly Key[] {
    const canEdit = options.view()?.argsOf(callId) !== undefined;
    return [
      'yes',
      'no',
      ...(decision.grant === undefined ? [] : (['always'] as const)),
      ...(canEdit ? (['edit'] as const) : []),
      'all',
      'explain',
    ];
  }

  return {
    ask(request, signal) {
      const answer = queue.then(async () => {
        if (signal.aborted) throw interrupted();
        const view = options.view();
        view?.hold(request.callId);
        try {
          return await ask(request, signal);
        } finally {
          view?.release();
        }
      });
      queue = answer.catch(() => undefined);
      return answer;
    },
  };
}

const SAID: Readonly<Record<Key, string>> = {
  yes: 'yes, this once',
  no: 'no',
  always: 'always',
  edit: 'change it',
  all: 'all of it',
  explain: 'what the keys mean',
};

function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'The question was not answered.');
}
