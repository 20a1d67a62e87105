// What an append asks of the system, as the kernel's tracer counts it: the same on every machine, unlike a time.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTree } from '../support/tree.ts';

const CHILD = join(import.meta.dirname, '../support/append-child.ts');
const FEW_ROUNDS = 10;
const MORE_ROUNDS = 60;
const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
if (!canTrace) process.stderr.write('skipped: system calls of an append: strace is missing, or may not trace here\n');

(canTrace ? describe : describe.skip)('system calls of an append', () => {
  it.each([
    ['one event at level process', 'process', 1, { all: 2, fdatasync: 0 }],
    ['one event at level disk', 'disk', 1, { all: 3, fdatasync: 1 }],
    ['64 events of as many callers at level disk', 'disk', 64, { all: 3, fdatasync: 1 }],
  ] as const)('%s', (_title, durability, callers, most) => {
    using tree = createTree();
    const few = traced(tree.root, { durability, callers, rounds: FEW_ROUNDS });
    const more = traced(tree.root, { durability, callers, rounds: MORE_ROUNDS });
    const perRound = (name?: string) => (total(more, name) - total(few, name)) / (MORE_ROUNDS - FEW_ROUNDS);
    // A write that a busy machine holds up for long asks for its stamp afterwards: that is one round of many.
    expect(perRound()).toBeLessThan(most.all + 0.5);
    expect(perRound('fdatasync')).toBe(most.fdatasync);
  });
});

/** Calls that concern the journal, by their names. */
function traced(directory: string, order: object): ReadonlyMap<string, number> {
  const own = mkdtempSync(join(directory, 'traced-'));
  const summary = join(own, 'calls.txt');
  const child = [process.execPath, '--no-warnings', CHILD, JSON.stringify({ ...order, directory: own })];
  const options = ['-f', '-c', '-o', summary, '-P', join(own, 'journal-1.jsonl')];
  const { status, stderr } = spawnSync('strace', [...options, ...child], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the traced process ended with ${status}: ${stderr}`);
  // Share, seconds, microseconds per call, calls, errors if there are any, and the name.
  const rows = readFileSync(summary, 'utf8').matchAll(/^ *[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +\d+)? +(\w+)$/gm);
  return new Map([...rows].map(([, count, name]) => [name!, Number(count)]));
}

function total(calls: ReadonlyMap<string, number>, name = 'total'): number {
  return calls.get(name) ?? 0;
}
