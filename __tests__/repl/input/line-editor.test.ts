import { PassThrough } from 'node:stream';
import { type Completer, type DraftListener, LineEditor, type LineRead } from '../../../lib/repl/input/line-editor.ts';

/** An editor without a terminal: `type` gives it input, and `drawn` collects the text that it writes. */
interface Options {
  readonly history?: readonly string[];
  readonly complete?: Completer;
  readonly draft?: DraftListener;
  readonly movable?: boolean;
}

function openOnFakeTerminal({ history = [], complete = async () => [[], ''], draft, movable }: Options = {}) {
  const input = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => input });
  const drawn: string[] = [];
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  output.on('data', (chunk) => drawn.push(String(chunk)));
  let interrupts = 0;
  let nowMs = 0;
  const editor = new LineEditor({
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    history,
    complete,
    draft,
    movable,
    onInterrupt: () => {
      interrupts++;
    },
    now: () => nowMs,
  });
  return {
    editor,
    type: (text: string) => input.write(text),
    read: () => editor.read(() => '> '),
    drawn: () => drawn.join(''),
    interrupts: () => interrupts,
    pass: (ms: number) => {
      nowMs += ms;
    },
    output,
    end: () => input.end(),
  };
}
const line = (text: string): LineRead => ({ type: 'line', line: text, text });
const tick = () => new Promise((resolve) => setImmediate(resolve));
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;
const UP = '\x1b[A';

describe('the line editor', () => {
  it('edits a line', async () => {
    const { type, read } = openOnFakeTerminal();
    type('helo\x1b[Dl\x1b[F!\r');
    expect(await read()).toEqual(line('hello!'));
  });

  it('keeps text typed between two reads for the next ones, one line each', async () => {
    const { type, read } = openOnFakeTerminal();
    type('one\rtwo\rthr');
    expect(await read()).toEqual(line('one'));
    expect(await read()).toEqual(line('two'));
    const third = read();
    type('ee\r');
    expect(await third).toEqual(line('three'));
  });

  it('takes a paste of several lines as one text, and waits for Enter', async () => {
    const { type, read } = openOnFakeTerminal();
    type(`see ${paste('/quit\r/clear')} please\r`);
    expect(await read()).toMatchObject({ type: 'line', text: 'see /quit\n/clear please' });
  });

  it('takes a paste of 20 MiB', async () => {
    const { type, read } = openOnFakeTerminal();
    const text = `${'x'.repeat(1023)}\n`.repeat(20 * 1024);
    const reading = read();
    type(`${paste(text)}\r`);
    expect(await reading).toEqual({ type: 'line', line: '[pasted 1: 20480 lines]', text });
  });

  it('breaks the line at Alt+Enter', async () => {
    const { type, read } = openOnFakeTerminal();
    type('one\x1b\rtwo\r');
    expect(await read()).toEqual({ type: 'line', line: 'one\ntwo', text: 'one\ntwo' });
  });

  it('brings earlier entries back, also those of several lines', async () => {
    const { editor, type, read } = openOnFakeTerminal({ history: ['older'] });
    editor.remember('newer\nlines');
    type(`${UP}\r`);
    expect(await read()).toEqual({ type: 'line', line: 'newer\nlines', text: 'newer\nlines' });
    type(`${UP}${UP}\r`);
    expect(await read()).toEqual(line('older'));
  });

  it('brings back only lines that it was told to remember', async () => {
    const { type, read } = openOnFakeTerminal({ history: ['kept'] });
    type(' secret\r');
    await read();
    type(`${UP}\r`);
    expect(await read()).toEqual(line('kept'));
  });

  it('clears the line at Ctrl+C and reports whether there was one', async () => {
    const { type, read } = openOnFakeTerminal();
    const first = read();
    type('abc\x03');
    expect(await first).toEqual({ type: 'interrupt', hadText: true });
    const second = read();
    type('\x03');
    expect(await second).toEqual({ type: 'interrupt', hadText: false });
    type('def\r');
    expect(await read()).toEqual(line('def'));
  });

  it('reports Ctrl+C between two reads immediately, and keeps typed text in the next line without sending it', async () => {
    const { type, read, interrupts } = openOnFakeTerminal();
    for (const typed of ['on', 'e', '\r', 'two', '\r', '\x03']) type(typed);
    await tick();
    expect(interrupts()).toBe(1);
    const reading = read();
    type(' and three\r');
    expect(await reading).toEqual({ type: 'line', line: 'one\ntwo and three', text: 'one\ntwo and three' });
  });

  it('keeps a paste unchanged at Ctrl+C between two reads', async () => {
    const { type, read } = openOnFakeTerminal();
    type(`${paste('a\nb')}\r\x03`);
    await tick();
    const reading = read();
    type('\r');
    expect(await reading).toMatchObject({ text: 'a\nb' });
  });

  it('ends at Ctrl+D on an empty line only', async () => {
    const { type, read } = openOnFakeTerminal();
    type('ab\x1b[D\x04\r');
    expect(await read()).toEqual(line('a'));
    type('\x04');
    expect(await read()).toEqual({ type: 'end' });
  });

  it('reports that the terminal is gone', async () => {
    const { read, end } = openOnFakeTerminal();
    const reading = read();
    end();
    expect(await reading).toEqual({ type: 'gone' });
    expect(await read()).toEqual({ type: 'gone' });
  });

  it('gives up a completion at Ctrl+C, so that a silent server does not block the line', async () => {
    let given: AbortSignal | undefined;
    const complete: Completer = (_line, signal) => {
      given = signal;
      return new Promise(() => undefined);
    };
    const { type, read } = openOnFakeTerminal({ complete });
    const first = read();
    type('/model \t');
    await tick();
    type('more\x03');
    expect(await first).toEqual({ type: 'interrupt', hadText: true });
    expect(given?.aborted).toBe(true);
    const second = read();
    type('hello\r');
    expect(await second).toEqual(line('hello'));
  });

  it('completes at Tab, and appends keys that were typed meanwhile', async () => {
    let answer: (value: readonly [readonly string[], string]) => void = () => {};
    const { type, read } = openOnFakeTerminal({ complete: () => new Promise((resolve) => (answer = resolve)) });
    const reading = read();
    type('/he\tx\r');
    await tick();
    answer([['/help '], '/he']);
    expect(await reading).toEqual(line('/help x'));
  });

  it('lists the candidates at Tab, and leaves line and cursor unchanged', async () => {
    const { type, read, drawn } = openOnFakeTerminal({ complete: async () => [['/save ', '/say '], '/sa'] });
    const reading = read();
    type('/sax\x1b[D\t');
    await tick();
    expect(drawn()).toContain('/save  /say\n');
    type('v\r');
    expect(await reading).toEqual(line('/savx'));
  });

  it('draws nothing between two reads, after any keys or a resize', async () => {
    const { type, read, drawn, output } = openOnFakeTerminal();
    type('one\r');
    await read();
    await tick();
    const before = drawn();
    type('two');
    output.emit('resize');
    await tick();
    expect(drawn()).toBe(before);
  });

  it('takes one key as an answer, and never text that was typed or pasted for something else', async () => {
    const { editor, type, read, pass, drawn } = openOnFakeTerminal();
    type('before ');
    await tick();
    const answer = editor.confirm('Replace it?');
    type('y');
    await tick();
    pass(300);
    for (const unmeant of [paste('y'), 'yes', 'x']) {
      type(unmeant);
      await tick();
      type('y'); // In the flow of it.
      await tick();
    }
    pass(300);
    type('Y');
    expect(await answer).toBe(true);
    await tick();
    expect(drawn()).toContain('Replace it? [y/N] yes');
    type('\r');
    expect(await read()).toEqual(line('before yyyyesyxy'));
  });

  it.each(['n', '\r', '\x1b', '\x03', '\x04'])('takes %j as a no', async (key) => {
    const { editor, type, pass, interrupts } = openOnFakeTerminal();
    const answer = editor.confirm('Replace it?');
    pass(300);
    type(key);
    expect(await answer).toBe(false);
    expect(interrupts()).toBe(0);
  });

  it('takes a terminal that is gone as a no', async () => {
    const { editor, end } = openOnFakeTerminal();
    const answer = editor.confirm('Replace it?');
    end();
    expect(await answer).toBe(false);
  });

  it('switches bracketed paste on, and off again at the end', async () => {
    const { editor, drawn } = openOnFakeTerminal();
    editor.close();
    editor.close();
    await tick();
    expect(drawn()).toContain('\x1b[?2004h');
    expect(drawn().match(/\x1b\[\?2004l/g)).toHaveLength(1);
  });
});

/** The text typed between two reads, as a front would take it. */
function openWithDraft({ complete }: Pick<Options, 'complete'> = {}) {
  const drafts: (LineRead & { readonly steers: boolean })[] = [];
  let changes = 0;
  const draft: DraftListener = {
    onRead: (read, { steers }) => void drafts.push({ ...read, steers }),
    onChange: () => {
      changes += 1;
    },
    onBack: () => undefined,
    onModeKey() {},
    onSuspend() {},
  };
  const opened = openOnFakeTerminal({ draft, ...(complete && { complete }) });
  return { ...opened, drafts, changes: () => changes };
}
const typedAs = (text: string, steers = false) => ({ ...line(text), steers });

describe('text typed between two reads', () => {
  it('can be edited, is drawn by a different component, and is entered line by line', async () => {
    const { editor, type, drafts, drawn, changes } = openWithDraft();
    type('one\rtwp\x7fo');
    await tick();
    expect(drafts).toEqual([typedAs('one')]);
    expect(editor.draft).toEqual({ text: 'two', cursor: 3 });
    type('\x1b[D\x1b[D');
    await tick();
    expect(editor.draft).toEqual({ text: 'two', cursor: 1 });
    expect(changes()).toBeGreaterThan(1);
    expect(drawn()).not.toContain('two');
  });

  it('appears in the line of the next read, with the cursor in its place', async () => {
    const { type, read } = openWithDraft();
    type('helo\x1b[D');
    await tick();
    const reading = read();
    type('l\r');
    expect(await reading).toEqual(line('hello'));
  });

  it('steers by Ctrl+S, which during a read acts as Enter', async () => {
    const { type, read, drafts } = openWithDraft();
    type('go left\x13');
    await tick();
    expect(drafts).toEqual([typedAs('go left', true)]);
    const reading = read();
    type('sent\x13');
    expect(await reading).toEqual(line('sent'));
  });

  it('stays after Ctrl+C', async () => {
    const { editor, type, interrupts } = openWithDraft();
    type('half a\x03 line');
    await tick();
    expect(interrupts()).toBe(1);
    expect(editor.draft.text).toBe('half a line');
  });

  it('comes back after a different line was asked for, with the pasted parts', async () => {
    const { editor, type, read } = openWithDraft();
    const long = 'x'.repeat(2000);
    type(`see ${paste(long)}!\x1b[D`);
    await tick();
    const aside = editor.readAside('why? ', { signal: new AbortController().signal });
    type(`${paste('y'.repeat(1500))}\r`);
    expect(await aside).toMatchObject({ text: 'y'.repeat(1500) });
    expect(editor.draft).toEqual({ text: 'see [pasted 1: 2000 characters]!', cursor: 31 });
    const reading = read();
    type('\r');
    expect(await reading).toMatchObject({ text: `see ${long}!` });
  });

  it('answers no question, and is not a draft during one', async () => {
    const { editor, type, drafts, pass } = openWithDraft();
    const answer = editor.key({ y: 'yes' }, new AbortController().signal);
    type('type type\r');
    await tick();
    expect(drafts).toEqual([]);
    pass(300);
    type('y');
    expect(await answer).toBe('yes');
    await tick();
    expect(drafts).toEqual([typedAs('type type')]);
  });

  it('is completed by Tab', async () => {
    const { editor, type } = openWithDraft({ complete: async () => [['/usage '], '/usa'] });
    type('/usa\t');
    await tick();
    await tick();
    expect(editor.draft.text).toBe('/usage ');
  });
});

describe('a line on a terminal that cannot move its cursor', () => {
  const openDumb = (options: Options = {}) => openOnFakeTerminal({ ...options, movable: false });
  const escapes = (drawn: string) => drawn.replaceAll(/\x1b\[\?2004[hl]/g, '').includes('\x1b');

  it('is edited as elsewhere: characters removed at its end are erased, other changes print a new row', async () => {
    const { type, read, drawn } = openDumb({ history: ['earlier'] });
    const reading = read();
    type('helpo');
    type('\x7f\x7f');
    await tick();
    expect(drawn()).toContain('> helpo\b \b\b \b');
    type('lo\x1b[D!');
    await tick();
    expect(drawn()).toMatch(/\r\n> hell!o$/);
    type('\x15\x0b\x1b[A\r');
    expect(await reading).toEqual(line('earlier'));
    expect(escapes(drawn())).toBe(false);
  });

  it('is empty after Ctrl+C, and the next line contains nothing of it', async () => {
    const { type, read } = openDumb();
    const first = read();
    type('never mind\x03');
    expect(await first).toEqual({ type: 'interrupt', hadText: true });
    const second = read();
    type('sent\r');
    expect(await second).toEqual(line('sent'));
  });

  it('has the completion in place of the typed letters', async () => {
    const complete: Completer = async () => [['@src/greet.ts'], '@grt'];
    const { type, read } = openDumb({ complete });
    const reading = read();
    type('see @grt\t');
    await tick();
    type('\r');
    expect(await reading).toEqual(line('see @src/greet.ts'));
  });
});
