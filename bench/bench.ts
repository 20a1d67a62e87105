// What a case is given, and what it is: a file under cases/ that measures one thing and yields its rows as they come.
import type { Row } from './measure.ts';

export interface Bench {
  readonly quick: boolean;
  readonly seed: number;
  /** How often each pair is taken. */
  readonly pairs: number;
  /** Events of the generated sessions that are read. */
  readonly lengths: readonly number[];
  /** Empty, for this case alone, removed when it ends. */
  readonly directory: string;
  /** For what several cases of a run need and one of them makes; removed with the run. */
  readonly shared: string;
  /** Says on a terminal what is under way. */
  progress(text: string): void;
}

export type Case = (bench: Bench) => AsyncGenerator<Row, void, void>;

/** The files under cases/, in the order in which they run. */
export const CASES = [
  'counts',
  'append',
  'append-disk',
  'append-peers',
  'read',
  'replay',
  'resume',
  'turn-cost',
  'turn-stream',
  'tools',
  'tool-output',
  'programs',
  'first-token',
  'start-up',
  'verify-all',
  'memory',
  'discovery',
  'tokens',
  'loops',
  'compaction',
  'redaction',
  'targets',
] as const;
