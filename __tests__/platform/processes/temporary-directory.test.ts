import { tmpdir } from 'node:os';
import { startProcess } from '../../../lib/platform/processes/child-process.ts';
import { temporaryDirectory } from '../../../lib/platform/processes/temporary-directory.ts';

const TMPDIR = process.env.TMPDIR;
afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

it('the temporary directory is that of TMPDIR', () => {
  expect(temporaryDirectory()).toBe(tmpdir());
});

it.each(['/no/such/directory', '/dev/null'])(
  'the temporary directory is that of the system if TMPDIR is %s, and programs start',
  async (path) => {
    process.env.TMPDIR = path;
    expect(temporaryDirectory()).toBe('/tmp');
    const child = await startProcess({
      argv: ['/bin/sh', '-c', 'cat'],
      input: 'x',
      cwd: '/',
      env: {},
      errors: 'merged',
    });
    let said = '';
    for await (const chunk of child.output) said += chunk;
    expect(said).toBe('x');
  },
);
