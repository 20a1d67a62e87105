// Work that may wait until the user can type, such as moving old sessions to the trash: done after the first prompt
// appears, and reported before the next one. Leaving stops it after its current step; the next session continues it.
import type { Later } from '../app/sessions/open/open-session.ts';

/** Time for drawing the prompt, and for loading the parts of the first answer. */
const DELAY_MS = 100;

export interface LaterWork {
  add(work: Later): void;
  /** Begins in a moment. */
  begin(): void;
  /** What there is to report by now; each sentence once. */
  reports(): readonly string[];
  /** Does the added work now, and the work that it adds in turn. Returns lines to report. */
  finish(): Promise<readonly string[]>;
  /** Drops work that has not begun; begun work ends soon. Returns lines to report. */
  stop(): Promise<readonly string[]>;
}

export function createLaterWork(): LaterWork {
  const stopping = new AbortController();
  const waiting: Later[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let sentences: string[] = [];

  const run = async (most = Number.POSITIVE_INFINITY) => {
    for (let done = 0; done < most && waiting.length > 0; done += 1) {
      sentences.push(...(await waiting.shift()!(stopping.signal)));
    }
  };
  const begin = () => {
    timer = setTimeout(() => {
      running = run();
    }, DELAY_MS).unref();
  };
  const reports = () => {
    const unreported = sentences;
    sentences = [];
    return unreported;
  };

  return {
    add: (work) => void waiting.push(work),
    begin,
    reports,
    async finish() {
      await run(waiting.length);
      if (waiting.length > 0) begin();
      return reports();
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      waiting.length = 0;
      await running;
      return reports();
    },
  };
}
