import { askedText, dangerIn } from '../../../lib/page/model/asked.ts';

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

  it('has the dangerous part of a command apart, if it is known and in the command', () => {
    const parts = (line: string, denial: string | undefined, reason = 'It needs a look.', dangerous?: string) =>
      dangerIn({
        reason,
        call: {
          tool: 'bash',
          args: {},
          sandbox: 'none',
          command: { kind: 'shell', line, cwd: '/' },
          dangerous,
          denial,
        },
      });
    const risk = 'removes a directory';
    expect(parts('cd a; rm -rf b && ls', 'bash(rm -rf b)', '', risk)).toEqual(['cd a; ', 'rm -rf b', ' && ls']);
    expect(parts('git push --force', undefined, 'It runs git push --force. Sure?', risk)).toEqual([
      '',
      'git push --force',
      '',
    ]);
    expect(parts('echo rm', 'bash(rm -rf b)', '', risk)).toBeUndefined();
    expect(parts('rm -rf b', 'bash(rm -rf b)')).toBeUndefined();
  });
});
