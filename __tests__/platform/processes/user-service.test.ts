// The files of a service, as a parser of property lists reads them. That systemd reads the unit is in
// cli/commands/watch-service.test.ts.
import { spawnSync } from 'node:child_process';
import { assert, property, string } from 'fast-check';
import { launchAgent, systemdUnit } from '../../../lib/platform/processes/user-service.ts';

const service = { name: 'tick', description: 'Ticks', words: ['/usr/bin/tick'], env: {} };

function parsed(list: string): Record<string, unknown> {
  const program = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: list, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('a property list for launchd', () => {
  const hasPython = spawnSync('python3', ['-c', 'import plistlib']).status === 0;
  (hasPython ? it : it.skip)('has the words and variables of the service, with any characters', () => {
    assert(
      property(string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const list = launchAgent({ ...service, words: ['/usr/bin/tick', text], env: { PLACE: text } });
        expect(parsed(list)).toEqual({
          Label: 'tick',
          ProgramArguments: ['/usr/bin/tick', text],
          EnvironmentVariables: { PLACE: text },
          RunAtLoad: true,
          KeepAlive: { SuccessfulExit: false },
          ProcessType: 'Background',
        });
      }),
      { numRuns: 15, examples: [['<a>&"b"\t\n\r\'']] },
    );
  });

  it('has no variables if none are needed, and refuses a character that XML cannot contain', () => {
    expect(launchAgent(service)).not.toContain('EnvironmentVariables');
    for (const character of ['\0', '\u001b', '\ud800']) {
      expect(() => launchAgent({ ...service, env: { PLACE: character } })).toThrow('XML has no form');
    }
  });
});

describe('a unit of systemd', () => {
  it('cannot get an additional line from a variable', () => {
    const unit = systemdUnit({ ...service, env: { PLACE: 'a\n[Service]\nExecStart=/bin/false' } });
    expect(unit.match(/^\[Service\]$/gm)).toHaveLength(1);
    expect(unit).toContain(String.raw`Environment="PLACE=a\x0a[Service]\x0aExecStart=/bin/false"`);
  });
});
