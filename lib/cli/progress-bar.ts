// The progress of a long piece of work, on one line: a bar, a share, and the current step. Drawn no more often than an
// eye can follow.

const BAR_WIDTH = 24;
const REDRAW_MS = 80;

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

export function progressBar({ done, total, text }: Progress): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.round(share * BAR_WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${percent} %  ${done} of ${total}  ${text}`;
}

/** True at the first call and whenever it is time to draw again. */
export function redrawTimer(): () => boolean {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - drawnAt < REDRAW_MS) return false;
    drawnAt = now;
    return true;
  };
}
