import { startProcess } from '../../../lib/platform/processes/child-process.ts';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';

test('a process is found by the whole value of a variable in its environment', async () => {
  const child = await startProcess({
    argv: ['/bin/sleep', '1000'],
    cwd: '/',
    env: { MARK: `m-${process.pid}` },
    errors: 'merged',
  });
  try {
    expect(processesMarked(`MARK=m-${process.pid}`)).toEqual([child.pid]);
    expect(processesMarked(`MARK=m-${process.pid}`.slice(0, -1))).toEqual([]);
    expect(processesMarked(`ARK=m-${process.pid}`)).toEqual([]);
  } finally {
    child.signalGroup('SIGKILL');
  }
});
