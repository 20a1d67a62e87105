import { MessageEntry } from '../../../lib/repl/input/message-entry.ts';

function open() {
  const kept: string[] = [];
  const remembered: string[] = [];
  const time = { ms: 0 };
  const history = { load: () => [], add: (entry: string) => void kept.push(entry) };
  const entry = new MessageEntry({ history, remember: (text) => void remembered.push(text), now: () => time.ms });
  return { entry, kept, remembered, time };
}

describe('an entered message', () => {
  it('is stored whole in the history, as it was typed', () => {
    const { entry, kept, remembered } = open();
    expect(entry.take('one\\', 'one\\')).toBeUndefined();
    expect(entry.isOpen).toBe(true);
    expect(entry.take('two', 'two')).toMatchObject({ type: 'message', text: 'one\ntwo' });
    expect(kept).toEqual(['one\\\ntwo']);
    expect(remembered).toEqual(kept);
  });

  it.each(['exit', 'quit', ' exit '])('leaves if it is only the word %j, which the history stores as typed', (word) => {
    const { entry, kept } = open();
    expect(entry.take(word, word)).toEqual({ type: 'command', text: '/quit' });
    expect(kept).toEqual([word]);
  });

  it.each([[['exit the loop how?']], [['Exit code']], [['exit\nquit']], [['exit\\', '']], [['"""', 'exit', '"""']]])(
    'does not leave if exit is only a part of %j',
    (lines) => {
      const { entry } = open();
      expect(lines.map((line) => entry.take(line, line)).at(-1)).toMatchObject({ type: 'message' });
    },
  );

  it('is dropped by Ctrl+C, with all of its lines', () => {
    const { entry, kept } = open();
    entry.take('one\\', 'one\\');
    expect(entry.interrupt(false)).toBe('dropped');
    expect(entry.take('two', 'two')).toMatchObject({ text: 'two' });
    expect(kept).toEqual(['two']);
  });

  it('leaves at the second Ctrl+C within two seconds if it is empty', () => {
    const { entry, time } = open();
    expect(entry.interrupt(false)).toBe('first');
    time.ms = 2001;
    expect(entry.interrupt(false)).toBe('first');
    time.ms = 4000;
    expect(entry.interrupt(true)).toBe('dropped');
    expect(entry.interrupt(false)).toBe('leaves');
  });
});
