// What hints say of commands of the REPL where they are read on the command line.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineAdvice } from '../../lib/cli/command-line-advice.ts';
import { COMMANDS } from '../../lib/repl/commands/table.ts';
import { createHome, ROOT } from '../support/cli.ts';

const NAMES = COMMANDS.map(({ name }) => name).join('|');
const COMMAND = new RegExp(`(?<=^|[\\s("'])/(?:${NAMES})(?![\\w/.-]*[/])\\b`, 'g');

describe('advice on the command line', () => {
  it.each([
    ['Switch with /provider.', 'Switch with --provider.'],
    ['Choose another with /model or --model.', 'Choose another with --model.'],
    ['/provider ollama or --provider ollama continues with it.', '--provider ollama continues with it.'],
    [
      'Name one with --model, with /provider groq MODEL, or as model.',
      'Name one with --model, with --provider groq --model MODEL, or as model.',
    ],
    ['Make room with /compact, then say “go on”.', 'Make room with /compact in the REPL, then say “go on”.'],
    ['its mode is ask now. /mode plan changes that.', 'its mode is ask now. /mode plan in the REPL changes that.'],
    ['Look at them in the REPL with /tools.', 'Look at them in the REPL with /tools.'],
    ['/tools/model is a directory, and so is /srv/compact.', '/tools/model is a directory, and so is /srv/compact.'],
  ])('%j becomes %j', (text, shown) => {
    expect(commandLineAdvice(text)).toBe(shown);
  });

  it('no text of lib/ names a command of the REPL as a command of the shell', () => {
    const texts = textsOf(join(ROOT, 'lib'));
    expect(texts.filter((text) => COMMAND.test(text)).length).toBeGreaterThan(10);
    const bare = texts.map(commandLineAdvice).filter((text) => {
      const commands = text.match(COMMAND) ?? [];
      return commands.length > 0 && !/REPL|ollm repl/.test(text);
    });
    expect(bare).toEqual([]);
  });

  it('ollm ask prints this advice when its model cannot be reached', async () => {
    using home = createHome();
    const { stderr } = await home.here(['ask', '--provider', 'ollama', '--model', 'nothing-of-that-name', 'hello'], {
      env: { OLLAMA_HOST: 'http://127.0.0.1:9' },
    });
    expect(stderr).not.toMatch(COMMAND);
    expect(stderr).not.toBe('');
  });
});

/** The string literals and templates of the sources that are neither the REPL nor the page. */
function textsOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const wanted = files.filter((file) => /^(?!repl|page).*(?<!generated)\.ts$/.test(file));
  return wanted.flatMap((file) => {
    const code = readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '');
    return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)]
      .map(([, single, template]) => (single ?? template ?? '').replace(/\$\{[^}]*\}/g, 'x'))
      .filter((text) => text.includes(' ') && !text.includes('\n'));
  });
}
