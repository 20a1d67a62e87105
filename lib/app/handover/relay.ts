// Runs inside the sandbox of a proof, as a program of its own: passes each connection to 127.0.0.1 on to a socket of
// the process outside, and runs commands one after the other meanwhile. Ends with the code of the first that fails.
// Imports nothing of ollm: no other file of it is there.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const { socket, port, commands } = JSON.parse(process.argv[2]!) as {
  readonly socket: string;
  readonly port: number;
  readonly commands: readonly (readonly [string, ...string[]])[];
};

const server = createServer((inside) => {
  const outside = connect(socket);
  inside.pipe(outside).pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
});
await new Promise<void>((listens) => server.listen(port, '127.0.0.1', listens));
let code = 0;
for (const [program, ...args] of commands) {
  code = await new Promise<number>((ended) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      console.error(error.message);
      ended(127);
    });
    child.on('close', (exit) => ended(exit ?? 1));
  });
  if (code !== 0) break;
}
process.exit(code);
