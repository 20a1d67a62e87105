// What appending asks of the system, as the kernel's tracer sees it: calls that concern the journal, by their names.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AppendOrder } from './append-child.ts';

const CHILD = fileURLToPath(new URL('append-child.ts', import.meta.url));
const FEW_ROUNDS = 10;
const MORE_ROUNDS = 60;

/** Calls by name. What opening and closing cost is not in it. */
export type SystemCalls = Readonly<Record<string, number>>;

/** Why nothing can be traced here; undefined if it can. */
export function noTracer(): string | undefined {
  const { status } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'strace is missing, or may not trace here';
}

/** The calls of one round: what more rounds cost above few. */
export function callsOfRound(directory: string, order: Omit<AppendOrder, 'directory' | 'rounds'>): SystemCalls {
  const few = traced(directory, { ...order, rounds: FEW_ROUNDS });
  const more = traced(directory, { ...order, rounds: MORE_ROUNDS });
  const calls = Object.entries(more).map(
    ([name, count]) => [name, (count - (few[name] ?? 0)) / (MORE_ROUNDS - FEW_ROUNDS)] as const,
  );
  return Object.fromEntries(calls.filter(([, count]) => count !== 0));
}

function traced(directory: string, order: Omit<AppendOrder, 'directory'>): SystemCalls {
  const own = mkdtempSync(join(directory, 'traced-'));
  const summary = join(own, 'calls.txt');
  const journal = join(own, 'journal-1.jsonl');
  const child = [process.execPath, '--no-warnings', CHILD, JSON.stringify({ ...order, directory: own })];
  const { status, stderr } = spawnSync('strace', ['-f', '-c', '-o', summary, '-P', journal, ...child], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the traced process ended with ${status}: ${stderr}`);
  return callsOf(readFileSync(summary, 'utf8'));
}

/**
 * Of a summary by `strace -c`. A row is: share, seconds, microseconds per call, calls, errors if there are any, and the name. A
 * share of 100.00 begins its line; every other one has spaces before it.
 */
export function callsOf(summary: string): SystemCalls {
  const rows = summary.matchAll(/^ *[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +\d+)? +(\w+)$/gm);
  return Object.fromEntries(
    [...rows].filter(([, , name]) => name !== 'total').map(([, count, name]) => [name, Number(count)]),
  );
}
