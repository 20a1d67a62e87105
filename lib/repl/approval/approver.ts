// Asks the user on the terminal whether a call may run. The question is printed, its keys are below it; one question at
// a time. Text that was typed ahead, pasted or piped answers nothing (input/key-prompt.ts). Ctrl+C cancels the turn.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { fitWidth, textWidth } from '../../display/width.ts';
import { wrapSpans } from '../../display/wrap.ts';
import { OllmError } from '../../errors/index.ts';
import { Lanes } from '../../platform/lanes.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../tools/decision.ts';
import type { ToolMode } from '../../tools/modes.ts';
import { MODE_KEY } from '../input/key-bindings.ts';
import { DECLINING_KEYS, type KeyAnswers } from '../input/key-prompt.ts';
import type { LineEditor } from '../input/line-editor.ts';
import type { BottomRegion } from '../render/bottom-region.ts';
import type { Screen } from '../render/screen.ts';
import type { TurnView } from '../turn-view.ts';
import { approvalLines, isPlainEdit, rulesOf } from './approval-lines.ts';
import { askAside, type EditArguments, interrupted } from './edit-arguments.ts';
import { revealLine } from './reveal.ts';

interface ApproverOptions {
  readonly screen: Screen;
  readonly region: BottomRegion;
  readonly editor: Pick<LineEditor, 'key' | 'readAside'>;
  /** The turn that is shown now. */
  readonly view: () => TurnView | undefined;
  readonly editArguments: EditArguments;
  /** Called when there is something to answer, to tell a user who looks elsewhere. */
  readonly onAsked: () => void;
  /** Called with each new size of the screen; answers with how to stop that. */
  readonly onResize: (listener: () => void) => () => void;
  /** Ctrl+C in a line of the question. */
  readonly onInterrupt: () => void;
  /** Goes to a mode of the tools; default: the next one. Resolves with what to say; never rejects. */
  readonly onMode: (mode?: ToolMode) => Promise<string>;
}

type Key = 'yes' | 'no' | 'always' | 'never' | 'edits' | 'edit' | 'all' | 'explain';

/** Each key: its letter, its word under the question, and its effect. */
const KEYS: Readonly<Record<Key, { readonly letter: string; readonly word: string; readonly does: string }>> = {
  yes: { letter: 'y', word: '[y]es', does: 'y  runs it this once' },
  no: {
    letter: 'n',
    word: '[n]o',
    does: 'n  denies it; then you may tell the model why. Enter and Escape deny it without words',
  },
  always: {
    letter: 'a',
    word: '[a]lways',
    does: 'a  runs it, and from now on everything that the named rule allows, without asking; /tools takes that back',
  },
  never: {
    letter: 'r',
    word: 'neve[r]',
    does: 'r  denies it, and from now on everything that the named rule says, without asking; /tools takes that back',
  },
  edits: {
    letter: 's',
    word: 'all edit[s]',
    does: 's  goes to the mode edits, as Shift+Tab does here: files of this project are changed without a question; /mode ask ends it',
  },
  edit: { letter: 'e', word: '[e]dit', does: 'e  lets you change it first; it is judged again then' },
  all: { letter: 'v', word: '[v]iew all', does: 'v  shows all of it, at the width that the screen has now' },
  explain: { letter: '?', word: '[?]', does: '?  shows this. Ctrl+C cancels the whole turn' },
};

const SAID: Readonly<Record<Key | 'words' | 'mode', string>> = {
  words: 'no',
  mode: 'another mode',
  yes: 'yes, this once',
  no: 'no',
  always: 'always',
  never: 'never',
  edits: 'all edits of this session',
  edit: 'change it',
  all: 'all of it',
  explain: 'what the keys mean',
};

const ACCEPTING: ReadonlySet<string> = new Set(['yes', 'always', 'edits']);

/** Rows for the keys, and for the line above a question. */
const RESERVED_ROWS = 5;

/** Asks one question at a time, in the order in which calls come. */
export function createApprover(options: ApproverOptions): Approver {
  const questions = new Lanes(1);
  return {
    ask(request, signal) {
      return questions.run(async () => {
        if (signal.aborted) throw interrupted();
        const view = options.view();
        view?.hold(request.callId);
        try {
          return await new Question(options, request, signal).ask();
        } finally {
          view?.release();
        }
      });
    },
  };
}

class Question {
  readonly #options: ApproverOptions;
  readonly #request: ApprovalRequest;
  readonly #signal: AbortSignal;
  /** Whether the question had no room for all of it. */
  #isCut = false;
  /** The width at which it was shown. */
  #columns = 0;
  /** The words of the keys, with the rules that they make where these fit and no line above names them. */
  #keyRows: readonly string[] = [];
  #keysNameRules = false;

  constructor(options: ApproverOptions, request: ApprovalRequest, signal: AbortSignal) {
    this.#options = options;
    this.#request = request;
    this.#signal = signal;
  }

  /** The caller decides whether the turn is shown again afterwards. */
  async ask(): Promise<ApprovalAnswer> {
    this.#showRequest(Math.max(0, this.#options.screen.rows - RESERVED_ROWS));
    this.#options.onAsked();
    for (;;) {
      const answer = await this.#answerTo(await this.#readKey());
      if (answer !== undefined) return answer;
    }
  }

  /** Undefined: the question stays. */
  async #answerTo(key: Key | 'words' | 'mode' | undefined): Promise<ApprovalAnswer | undefined> {
    switch (key) {
      case undefined:
        throw interrupted();
      case 'yes':
        return { kind: 'once' };
      case 'always':
        return { kind: 'always' };
      case 'never':
        return { kind: 'never' };
      case 'no':
        return { kind: 'no', words: undefined };
      case 'words':
        return { kind: 'no', words: await this.#askForWords() };
      case 'edits':
        this.#say(await this.#options.onMode('edits'), 'dim');
        return { kind: 'again' };
      case 'mode':
        this.#say(await this.#options.onMode(), 'dim');
        return { kind: 'again' };
      case 'all':
        if (this.#isCut || this.#columns !== this.#options.screen.columns) this.#showRequest(Number.POSITIVE_INFINITY);
        else this.#say('All of it is above.', 'dim');
        return undefined;
      case 'explain':
        for (const each of this.#keys()) this.#say(KEYS[each].does, 'dim');
        return undefined;
      case 'edit': {
        const args = await this.#edit();
        return args === undefined ? undefined : { kind: 'edit', args };
      }
    }
  }

  /** `no` without a word for the keys that only decline. */
  async #readKey(): Promise<Key | 'words' | 'mode' | undefined> {
    const { screen, region, editor, onResize } = this.#options;
    const keys = this.#keys();
    const answers: KeyAnswers<Key | 'words' | 'mode'> = {
      [MODE_KEY]: keys.includes('edits') ? 'edits' : 'mode',
      ...Object.fromEntries(keys.map((key) => [KEYS[key].letter, key === 'no' ? 'words' : key] as const)),
      ...Object.fromEntries(DECLINING_KEYS.map((key) => [key, 'no'] as const)),
    };
    const rows = this.#keyRows;
    const draw = () => region.draw(rows.flatMap((text) => wrapSpans([spanOf(text, 'bold')], screen.columns - 1)));
    // The first moment, in which no key counts, begins before the question can be seen: a key pressed long enough after
    // that counts, however busy the machine is.
    const pressed = editor.key(answers, this.#signal, (stranger) =>
      this.#say(`${revealLine(stranger)} is not offered here.`, 'dim'),
    );
    if (screen.movable) draw();
    else for (const row of rows) this.#say(row);
    const stopWatching = onResize(draw);
    try {
      const key = await pressed;
      region.clear();
      if (key !== undefined) {
        // A row that never begins with text of a model.
        const text = fitWidth(`→ ${SAID[key]}${this.#ruleOf(key)}`, screen.columns - 1);
        this.#say(text, ACCEPTING.has(key) ? 'green' : 'dim');
      }
      return key;
    } finally {
      stopWatching();
    }
  }

  /** The rule that a key makes stays on the screen; the keys that name it do not. */
  #ruleOf(key: string): string {
    if (!this.#keysNameRules) return '';
    const { denial } = this.#request.decision;
    if (key === 'always') return `: ${rulesOf(this.#request).always}`;
    return key === 'never' && denial !== undefined ? `: ${revealLine(denial)}` : '';
  }

  async #askForWords(): Promise<string | undefined> {
    const prompt = 'What should the model do instead? (Enter: say nothing) ';
    return (await askAside(this.#options, prompt, { signal: this.#signal }))?.trim() || undefined;
  }

  async #edit(): Promise<unknown> {
    const { callId } = this.#request;
    const view = this.#options.view();
    try {
      const args = await this.#options.editArguments(
        { request: this.#request, args: view?.argsOf(callId) },
        this.#signal,
      );
      if (args !== undefined) view?.setArgs(callId, args);
      else this.#say('Nothing was changed.', 'dim');
      return args;
    } catch (error) {
      if (!(error instanceof OllmError) || this.#signal.aborted) throw error;
      this.#say(error.message, 'red');
      if (error.hint !== undefined) this.#say(error.hint);
      return undefined;
    }
  }

  #keys(): readonly Key[] {
    const { callId, decision, isFixed } = this.#request;
    const isOffered: Readonly<Record<Key, boolean>> = {
      yes: true,
      no: true,
      always: decision.grant !== undefined,
      never: decision.denial !== undefined,
      edits: decision.isEdit === true,
      edit: isFixed !== true && this.#options.view()?.argsOf(callId) !== undefined,
      all: true,
      explain: true,
    };
    return (Object.keys(KEYS) as Key[]).filter((key) => isOffered[key]);
  }

  #showRequest(rows: number): void {
    const columns = this.#options.screen.columns - 1;
    const named = keyRows(this.#keys(), rulesOf(this.#request));
    // A rule that wraps would let text of a model begin a line.
    const hasRoom = named.every((row) => textWidth(row) <= columns);
    const keysNameRules = hasRoom && rows !== Number.POSITIVE_INFINITY && !isDangerous(this.#request);
    this.#keysNameRules = keysNameRules;
    this.#keyRows = keysNameRules ? named : keyRows(this.#keys());
    const { lines, hidden } = approvalLines(this.#request, { columns, rows, keysNameRules });
    this.#isCut ||= hidden > 0 || isPlainEdit(this.#request);
    this.#columns = columns + 1;
    this.#options.region.print([[], ...lines]);
  }

  #say(text: string, ...styles: StyledLine[number]['styles']): void {
    this.#options.region.print(wrapSpans([spanOf(text, ...styles)], this.#options.screen.columns - 1));
  }
}

function isDangerous({ decision }: ApprovalRequest): boolean {
  return decision.dangerous !== undefined;
}

type Ruling = 'always' | 'never';

/** A row of keys, and a second row for the keys that make a rule, if these name it. */
function keyRows(keys: readonly Key[], rules: Partial<Record<Ruling, string>> = {}): readonly string[] {
  const ruling = keys.filter((key): key is Ruling => key === 'always' || key === 'never');
  const words = (some: readonly Key[]) => some.map((key) => KEYS[key].word).join('  ');
  if (!rules.always && !rules.never) return [words(keys)];
  const named = ruling.map((key) => `${KEYS[key].word} ${rules[key] ?? ''}`.trimEnd()).join('  ');
  return [words(keys.filter((key) => key !== 'always' && key !== 'never')), named];
}
