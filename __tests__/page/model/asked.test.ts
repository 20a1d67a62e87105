import { askedText } from '../../../lib/page/model/asked.ts';

const program = (argv: readonly string[]) =>
  askedText({
    summary: '',
    call: { tool: 'run', args: {}, sandbox: 'none', command: { kind: 'program', argv, cwd: '/' } },
  });
const shell = (line: string) =>
  askedText({
    summary: '',
    call: { tool: 'bash', args: {}, sandbox: 'none', command: { kind: 'shell', line, cwd: '/' } },
  });

describe('the text of a question', () => {
  it('shows the end of each argument', () => {
    expect(program(['rm', 'a b'])).toBe("rm 'a b'");
    expect(program(['rm', 'a', 'b'])).toBe('rm a b');
    expect(program(['echo', "it's", ''])).toBe("echo 'it'\\''s' ''");
  });

  it('shows invisible characters: joiners, marks of order and of language, unusual spaces', () => {
    expect(shell('rm a\u200bb')).toBe('rm a\\u200bb');
    expect(shell('rm\u00a0-rf')).toBe('rm\\u00a0-rf');
    expect(shell('ls \u{e0041}\u2028')).toBe('ls \\u{e0041}\\u2028');
    expect(shell('ls \u202etxt')).toBe('ls \\u202etxt');
    expect(program(['ls', '\u200d'])).toBe("ls '\\u200d'");
  });

  it('leaves visible characters unchanged', () => {
    expect(shell("echo 'متى 什么 🌹' | wc -c\nexit 1")).toBe("echo 'متى 什么 🌹' | wc -c\nexit 1");
  });
});
