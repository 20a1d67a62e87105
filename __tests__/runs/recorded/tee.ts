// Starts a program and notes each line that passes to it and from it: node tee.ts LOG PROGRAM [ARGUMENTS…]
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [log = '', program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const note = (to: 'agent' | 'ollm', line: string) => {
  try {
    appendFileSync(log, `${JSON.stringify({ to, message: JSON.parse(line) })}\n`);
  } catch {
    // The line has no message.
  }
};
createInterface({ input: process.stdin }).on('line', (line) => {
  note('agent', line);
  child.stdin.write(`${line}\n`);
});
createInterface({ input: child.stdout }).on('line', (line) => {
  note('ollm', line);
  process.stdout.write(`${line}\n`);
});
process.stdin.on('end', () => child.stdin.end());
child.on('exit', (code) => process.exit(code ?? 1));
