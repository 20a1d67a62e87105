// What may wait until the user can type, such as moving old sessions to the trash: done behind the first prompt, and
// told before the next one. Whoever leaves stops it after the step that it is at; the next session goes on with it.
import type { Later } from '../app/sessions/open-session.ts';

/** Time for the prompt to be drawn, and for what the first answer needs to be loaded. */
const DELAY_MS = 100;

export interface LaterWork {
  add(work: Later): void;
  /** Begins in a moment. */
  begin(): void;
  /** What is to be told by now; each sentence once. */
  told(): readonly string[];
  /** Does all of it now, and answers with what is to be told. */
  finish(): Promise<readonly string[]>;
  /** What has not begun is left, what has begun ends soon. Answers with what is to be told. */
  stop(): Promise<readonly string[]>;
}

export function createLaterWork(): LaterWork {
  const stopping = new AbortController();
  const waiting: Later[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let sentences: string[] = [];

  const run = async () => {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
      sentences.push(...(await work(stopping.signal)));
    }
  };
  const told = () => {
    const untold = sentences;
    sentences = [];
    return untold;
  };

  return {
    add: (work) => void waiting.push(work),
    begin() {
      timer = setTimeout(() => {
        running = run();
      }, DELAY_MS).unref();
    },
    told,
    async finish() {
      await run();
      return told();
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      waiting.length = 0;
      await running;
      return told();
    },
  };
}
