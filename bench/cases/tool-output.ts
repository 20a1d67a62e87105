// How long a large output of a tool holds others up: whoever types meanwhile must not notice.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { longestBlock } from '../longest-block.ts';
import { limitOf, measure } from '../measure.ts';
import { answeringTool } from '../scripted-turns.ts';
import { newSession } from '../sessions.ts';
import { programs, toolboxOf, turnWithTool } from '../tool-turns.ts';

const LARGE_BYTES = 10 * 1024 * 1024;
/** What nobody notices who is typing. */
const NOTICED_MS = 50;

export const run: Case = async function* ({ seed, pairs, directory, progress }) {
  progress('a large output');
  const lines = generatedLines(LARGE_BYTES, seed);
  const file = join(directory, 'large.log');
  writeFileSync(file, lines);
  const session = await newSession(directory, 'session');
  const toolbox = toolboxOf([answeringTool('large', () => lines)]);
  const common = { session, directory, runProgram: programs(directory), toolbox };
  const outputs = [
    ['a tool that answers with 10 MB', { name: 'large', args: {} }],
    ['a program that prints 10 MB', { name: 'bash', args: { command: `cat ${file}` } }],
  ] as const;
  for (const [what, call] of outputs) {
    for (const by of ['clock', 'processor'] as const)
      yield* await measure(
        {
          what: `longest block by the ${by}: ${what}`,
          unit: 'ms',
          subject: () => longestBlock(by, () => turnWithTool({ ...common, call })),
          against: [limitOf(NOTICED_MS, 'what is noticed')],
        },
        pairs,
      );
  }
  await session.close('exit');
};

/** Lines as logs have them, none like the other. */
function generatedLines(bytes: number, seed: number): string {
  const lines: string[] = [];
  for (let length = 0, number = seed; length < bytes; number += 1) {
    const line = `2026-01-01T00:00:${number % 60} [worker-${number % 7}] GET /things/${number * 7919} took ${number % 997} ms\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('');
}
