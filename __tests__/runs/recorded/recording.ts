// What passed between ollm and a program: each message with the side that it went to. Paths are as in `scrubbed`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Passed {
  readonly to: 'agent' | 'ollm';
  readonly message: RpcMessage;
}

export interface RpcMessage {
  readonly id?: number | string | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export const PROJECT = '/project';

/** Two recordings, of the first run and of the one that resumes its session. */
export function recordingOf(agent: string): readonly [readonly Passed[], readonly Passed[]] {
  const all = readFileSync(pathOf(agent), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Passed);
  const second = all.findLastIndex(({ message }) => message.method === 'initialize');
  return [all.slice(0, second), all.slice(second)];
}

export function pathOf(agent: string): string {
  return join(import.meta.dirname, '../../../fixtures/runs', `${agent}.jsonl`);
}
