import fc from 'fast-check';
import { AGENT_NAMES, loadAgent } from '../../lib/agents/registry.ts';
import { xdgDirectory } from '../../lib/platform/xdg.ts';
import { ownFilesOf } from '../../lib/runs/own-files.ts';
import { RUN_AGENTS } from '../../lib/runs/profiles.ts';

const home = '/home/me';

it.each([
  ['config', '/home/me/.config'],
  ['data', '/home/me/.local/share'],
  ['state', '/home/me/.local/state'],
  ['cache', '/home/me/.cache'],
] as const)('the directory for %s is %s, or the one that its variable names', (kind, usual) => {
  const name = `XDG_${kind.toUpperCase()}_HOME`;
  fc.assert(
    fc.property(fc.constantFrom('', '.', '..', 'x', './x', '~', '~/x', ' /x', '$HOME/x'), (value) => {
      expect(xdgDirectory(kind, { env: { [name]: value }, home })).toBe(usual);
    }),
  );
  expect(xdgDirectory(kind, { env: {}, home })).toBe(usual);
  expect(xdgDirectory(kind, { env: { [name]: '/other/x' }, home })).toBe('/other/x');
  expect(xdgDirectory(kind, { env: { [name]: 'x' }, home }, '/usual')).toBe('/usual');
});

it('places of other programs do not depend on the current directory', async () => {
  const unset = { env: {}, home };
  const relative = Object.fromEntries(['CONFIG', 'DATA', 'STATE', 'CACHE'].map((kind) => [`XDG_${kind}_HOME`, 'x']));
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const set = { env: relative, home, platform };
    for (const name of AGENT_NAMES) {
      const { places } = await loadAgent(name);
      expect(places(set)).toEqual(places({ ...unset, platform }));
    }
    for (const name of RUN_AGENTS) expect(ownFilesOf(name, set)).toEqual(ownFilesOf(name, { ...unset, platform }));
  }
});
