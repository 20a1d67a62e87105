// The askers at the terminal: a stack, whose top has the keys. Where the top takes none, they wait.
import type { InputPiece } from './paste.ts';

/** Reads a line, key by key. */
interface LineAsker {
  readonly kind: 'line';
  /** Asked again when the width changes; its last line is the prompt proper. */
  readonly prompt: () => string;
}

/** Takes pieces when they arrive, and none of earlier ones: a question, or a list to choose from. */
interface PieceAsker {
  readonly kind: 'pieces';
  /** Returns the pieces for the next asker. */
  take(piece: InputPiece): readonly InputPiece[];
  /** Draws itself again in another width. */
  draw?(): void;
}

/**
 * Takes nothing. `aside`: the lines on top of it are none of the messages. `wait`: an answer comes from elsewhere.
 * `pause`: the next asker is about to begin.
 */
interface HoldingAsker {
  readonly kind: 'aside' | 'wait' | 'pause';
  /** Called at Ctrl+C. */
  interrupt?(): void;
}

export type Asker = LineAsker | PieceAsker | HoldingAsker;

export class Askers {
  readonly #stack: Asker[] = [];

  /** Puts it on top. Returns how it ends, which another one below or above may outlive. */
  begin(asker: Asker): () => void {
    this.#stack.push(asker);
    return () => {
      const at = this.#stack.indexOf(asker);
      if (at >= 0) this.#stack.splice(at, 1);
    };
  }

  get top(): Asker | undefined {
    return this.#stack.at(-1);
  }

  /** The line that is read, also below other askers. */
  get line(): LineAsker | undefined {
    return this.#stack.findLast((asker) => asker.kind === 'line');
  }

  has(kind: Asker['kind']): boolean {
    return this.#stack.some((asker) => asker.kind === kind);
  }

  /** Offers a piece that has just arrived to the top. Returns the rest. */
  offer(piece: InputPiece): readonly InputPiece[] {
    const { top } = this;
    return top?.kind === 'pieces' ? top.take(piece) : [piece];
  }

  /** Ctrl+C while an answer is waited for. */
  interrupt(): void {
    const { top } = this;
    if (top?.kind === 'wait') top.interrupt?.();
  }
}
