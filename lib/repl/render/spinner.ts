// Shows that something is under way, and for how long, in one row that vanishes. Only where the cursor can be moved.

import { fitWidth } from '../../display/width.ts';
import type { Paint } from './paint.ts';
import type { Screen } from './stream.ts';

export interface Spinner {
  start(label: string): void;
  /** Leaves the row empty and the cursor at its beginning. Harmless when it does not spin. */
  stop(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

export function createSpinner(screen: Screen, paint: Paint, now: () => number): Spinner {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(label) {
      if (timer || !screen.movable) return;
      const startMs = now();
      let frame = 0;
      const draw = () => {
        const seconds = Math.floor((now() - startMs) / 1000);
        const text = `${FRAMES[frame++ % FRAMES.length]} ${seconds} s · ${label}`;
        screen.write(`\r\x1b[K${paint.text(fitWidth(text, screen.columns - 1), 'dim')}`);
      };
      draw();
      timer = setInterval(draw, FRAME_MS);
    },
    stop() {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      screen.write('\r\x1b[K');
    },
  };
}
