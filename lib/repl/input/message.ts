// Puts a message together from the lines that were entered: one line, several ended by a backslash, or a block between
// `"""` and `"""`. Says whether it may be a command: only a single line can be, and `//` or `!!` at its start takes
// that away.

export type Assembly =
  /** More lines are needed. */
  | { readonly type: 'open' }
  | { readonly type: 'empty' }
  /** `typed`: the same without long pastes. */
  | { readonly type: 'message'; readonly text: string; readonly typed: string }
  | { readonly type: 'command'; readonly text: string }
  /** For a shell, without its exclamation mark. */
  | { readonly type: 'shell'; readonly text: string };

interface MessageAssembler {
  readonly isOpen: boolean;
  /** `line`: as it was edited. `text`: the same with pasted text in full. */
  push(line: string, text?: string): Assembly;
  /** The input is over: the open lines are a message. */
  end(): Assembly;
  /** Drops the open lines. */
  clear(): void;
}

const QUOTES = '"""';

export function createMessageAssembler(): MessageAssembler {
  let lines: string[] = [];
  let typed: string[] = [];
  let mode: 'none' | 'continued' | 'block' = 'none';

  const complete = (): Assembly => {
    const text = lines.join('\n');
    const message = { type: 'message', text, typed: typed.join('\n') } as const;
    lines = [];
    typed = [];
    mode = 'none';
    return text.trim() === '' ? { type: 'empty' } : message;
  };

  return {
    get isOpen() {
      return mode !== 'none';
    },
    push(line, text = line) {
      typed.push(line);
      if (mode === 'block') return pushToBlock(text);
      if (mode === 'none' && text.trimStart().startsWith(QUOTES)) {
        mode = 'block';
        const first = text.trimStart().slice(QUOTES.length).replace(/^\n/, '');
        return first === '' ? { type: 'open' } : pushToBlock(first);
      }
      if (endsInSingleBackslash(line) && endsInSingleBackslash(text)) {
        lines.push(text.slice(0, -1));
        mode = 'continued';
        return { type: 'open' };
      }
      if (mode === 'none' && /^(?:\/(?!\/)|!(?!!))/.test(line)) {
        typed = [];
        return commandOf(text);
      }
      lines.push(mode === 'none' && /^(?:\/\/|!!)/.test(line) ? text.slice(1) : text);
      return complete();
    },
    end: () => (mode === 'none' ? { type: 'empty' } : complete()),
    clear() {
      lines = [];
      typed = [];
      mode = 'none';
    },
  };

  function pushToBlock(text: string): Assembly {
    if (!text.trimEnd().endsWith(QUOTES)) {
      lines.push(text);
      return { type: 'open' };
    }
    const last = text.trimEnd().slice(0, -QUOTES.length).replace(/\n$/, '');
    if (last !== '') lines.push(last);
    return complete();
  }
}

function commandOf(text: string): Assembly {
  if (text.startsWith('/')) return { type: 'command', text };
  const command = text.slice(1).trim();
  return command === '' ? { type: 'empty' } : { type: 'shell', text: command };
}

/** Whether a `"""` waits for its end. */
export function isOpenBlock(text: string): boolean {
  const begun = text.trimStart();
  return begun.startsWith(QUOTES) && !begun.slice(QUOTES.length).trimEnd().endsWith(QUOTES);
}

/** Two backslashes at the end are two backslashes. */
export function endsInSingleBackslash(line: string): boolean {
  return /\\*$/.exec(line)![0].length % 2 === 1;
}
