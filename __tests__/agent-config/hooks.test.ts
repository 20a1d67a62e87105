// The command line of a hook as a shell reads it, and one hook among those of others.
import { execFileSync } from 'node:child_process';
import { array, assert, property, string } from 'fast-check';
import { hookCommand, ourCommands, withHook } from '../../lib/agent-config/hooks.ts';

const others = { matcher: '*', hooks: [{ type: 'command', command: 'notify-send done' }] };
const ours = (command: string) => ({ hooks: [{ type: 'command', command, timeout: 5 }] });

describe('the command line of a hook', () => {
  it('gives a shell the same words, with any characters', () => {
    const word = string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    assert(
      property(array(word, { minLength: 1, maxLength: 3 }), word, (words, home) => {
        const program = [
          'node',
          '-e',
          'console.log(JSON.stringify([process.env.OLLM_HOME, ...process.argv.slice(1)]))',
        ];
        const line = hookCommand([...program, '--', ...words], { OLLM_HOME: home });
        const env = { PATH: process.env.PATH };
        const heard = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8', env });
        expect(JSON.parse(heard)).toEqual([home, ...words, 'sync', '--hook']);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['ollm sync --hook', true],
    ["OLLM_HOME='/my data' '/opt/node 24/bin/node' '/opt/my ollm/bin/ollm.js' sync --hook", true],
    ['/usr/bin/node /opt/ollm/bin/ollm.js sync --hook', true],
    ['ollm sync', false],
    ['ollm sync --hook; rm -r ~', false],
    ['mollm sync --hook', false],
    ['notify-send "ollm sync --hooked"', false],
  ])('%s is a hook of ollm: %s', (command, isOurs) => {
    expect(ourCommands([others, ours(command)])).toEqual(isOurs ? [command] : []);
  });
});

describe('a hook in a settings file', () => {
  const wanted = { command: 'ollm sync --hook', timeout: 5 };

  it('comes after foreign ones, once, in place of an older one', () => {
    const first = withHook([others], wanted);
    expect(first).toEqual([others, ours('ollm sync --hook')]);
    expect(withHook(first, wanted)).toEqual(first);
    expect(withHook([ours('/old/ollm sync --hook'), others], wanted)).toEqual(first);
  });

  it('is removed, together with its group if it was the only one', () => {
    const shared = { hooks: [...ours('ollm sync --hook').hooks, ...others.hooks] };
    expect(withHook([others, ours('ollm sync --hook'), shared], undefined)).toEqual([others, { hooks: others.hooks }]);
    expect(withHook([ours('ollm sync --hook')], undefined)).toBeUndefined();
  });

  it.each([[undefined], [null], ['text'], [{ hooks: [] }]])(
    'is not added to %j, and keeps groups of no known form',
    (groups) => {
      expect(withHook(groups, wanted)).toEqual([ours('ollm sync --hook')]);
      expect(withHook([7, { hooks: 'x' }, null], wanted)).toEqual([7, { hooks: 'x' }, null, ours('ollm sync --hook')]);
    },
  );
});
