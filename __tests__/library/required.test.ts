// A program of CommonJS gets the library by `require`: no module of it waits while it is loaded.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/cli.ts';

it('the library can be loaded by require, and stores a session', () => {
  const program = `
    const { createSession, openMemoryStore, replay, viewFold, currentView } = require('ollm');
    (async () => {
      const store = openMemoryStore();
      const session = await createSession(store, { provider: 'mine', model: 'mine-1', system: 'Be terse.' });
      const reader = store.openReader(session.id);
      const { states } = await replay(reader, { view: viewFold });
      console.log(currentView(states.view)[0].parts[0].text);
      await session.close('exit');
    })();`;
  const arguments_ = ['--input-type=commonjs', '--eval', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, arguments_, { cwd: ROOT, encoding: 'utf8' });
  expect({ stdout, stderr, status }).toEqual({ stdout: 'Be terse.\n', stderr: '', status: 0 });
});
