// A process that starts a stubborn server and is then killed by its test. Prints the server's process number.
import { StdioTransport } from '../../lib/mcp/stdio-transport.ts';
import { BROKEN, program } from './world.ts';

const launch = program(BROKEN, 'stubborn');
if (launch.kind === 'program') {
  const { command, cwd, env } = launch;
  const onText = () => undefined;
  const transport = new StdioTransport({ argv: command, cwd, env, mark: 'orphan', maxMessageBytes: 1 << 20, onText });
  await transport.start();
  // It has begun to listen once it answers.
  transport.onmessage = () => process.stdout.write(`${transport.pid}\n`);
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
}
