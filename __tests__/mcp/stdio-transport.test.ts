import { StdioTransport } from '../../lib/mcp/stdio-transport.ts';
import { systemIds } from '../../lib/platform/index.ts';
import { processesMarked } from '../../lib/platform/processes/process-tree.ts';
import { endWithTests } from '../support/end-with-tests.ts';

function serverThatStays(): { readonly transport: StdioTransport; running(): number } {
  const mark = systemIds.token();
  const transport = new StdioTransport({
    argv: ['/bin/sh', '-c', 'trap "" TERM; exec sleep 1000'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    mark,
    maxMessageBytes: 1000,
    onText: () => undefined,
  });
  const pids = () => processesMarked(`OLLM_SERVER=${mark}`);
  endWithTests(() => {
    for (const pid of pids()) process.kill(pid, 'SIGKILL');
  });
  return { transport, running: () => pids().length };
}

describe('a closed connection', () => {
  it('leaves no process if its program is being started', async () => {
    const { transport, running } = serverThatStays();
    const started = transport.start();
    await transport.close();
    await started;
    expect(running()).toBe(0);
  });

  it('does not start its program any more', async () => {
    const { transport, running } = serverThatStays();
    await transport.close();
    await expect(transport.start()).rejects.toThrow('The connection was closed.');
    expect(running()).toBe(0);
  });
});
