// A command for a shell, as a shell takes it.
import { execFileSync } from 'node:child_process';
import { shellLine } from '../../lib/display/shell-line.ts';

describe('a command for a shell', () => {
  it('gives the shell each word as it is', () => {
    const words = [
      'plain-1.0',
      '5f3c copy',
      '',
      "it's",
      '$(touch made)',
      '`a`',
      '~',
      'a;b',
      'two\nlines',
      '"',
      '\\',
      '*',
    ];
    const printed = execFileSync('bash', ['-c', shellLine(['printf', '%s|', ...words])], { encoding: 'utf8' });
    expect(printed).toBe(words.map((word) => `${word}|`).join(''));
  });

  it('leaves usual words without quotes', () => {
    expect(shellLine(['claude', '--resume', '5f3c-1'])).toBe('claude --resume 5f3c-1');
  });
});
