// The progress of a long piece of work, on one line: a bar, a share, and the current step. Drawn no more often than an
// eye can follow.
import type { Output } from './output.ts';

const BAR_WIDTH = 24;
const REDRAW_MS = 80;

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

function progressBar({ done, total, text }: Progress): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.round(share * BAR_WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${percent} %  ${done} of ${total}  ${text}`;
}

/** Draws the progress, if it is time to draw again. */
export function progressDrawer(output: Pick<Output, 'progress'>): (progress: Progress) => void {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = performance.now();
    if (now - drawnAt < REDRAW_MS) return;
    drawnAt = now;
    output.progress(progressBar(progress));
  };
}
