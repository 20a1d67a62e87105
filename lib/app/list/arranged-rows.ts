// The rows of recent lists, in their order, each with its inputs: a list of the same inputs is there at once, however
// many sessions it has.
import type { SessionRow } from './session-row.ts';

/** With other filters, or in another order: as many as windows of one user show. */
const MOST_KEPT = 8;

interface Kept {
  readonly inputs: readonly unknown[];
  readonly rows: readonly SessionRow[];
}

export class ArrangedRows {
  readonly #kept = new Map<string, Kept>();

  /**
   * `inputs`: values that the rows depend on, next to `question`; each is the same as before, or another one.
   * @throws what `make` throws
   */
  async of(
    question: string,
    inputs: readonly unknown[],
    make: () => Promise<{ readonly rows: readonly SessionRow[]; readonly isLasting: boolean }>,
  ): Promise<readonly SessionRow[]> {
    const kept = this.#kept.get(question);
    this.#kept.delete(question);
    const isSame = kept?.inputs.length === inputs.length && kept.inputs.every((input, at) => input === inputs[at]);
    const { rows, isLasting } = isSame ? { rows: kept.rows, isLasting: true } : await make();
    if (isLasting) this.#kept.set(question, { inputs, rows });
    for (const oldest of this.#kept.keys()) if (this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
    return rows;
  }
}
