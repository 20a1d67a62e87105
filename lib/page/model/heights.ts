// Sums of heights, some guessed and some measured, that can be asked for and changed in O(log n): a Fenwick tree.

export class Heights {
  readonly #values: number[];
  readonly #sums: number[];

  /** `count` things that are guessed to be `guess` pixels high. */
  constructor(count: number, guess: number) {
    this.#values = new Array<number>(count).fill(0);
    this.#sums = new Array<number>(count + 1).fill(0);
    for (let index = 0; index < count; index += 1) this.set(index, guess);
  }

  get count(): number {
    return this.#values.length;
  }

  get total(): number {
    return this.before(this.#values.length);
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** Pixels above the thing at `index`. */
  before(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.#values.length); at > 0; at -= at & -at) sum += this.#sums[at]!;
    return sum;
  }

  set(index: number, height: number): void {
    const change = height - this.#values[index]!;
    this.#values[index] = height;
    for (let at = index + 1; at < this.#sums.length; at += at & -at) this.#sums[at]! += change;
  }

  /** Adds one at the end. */
  push(height: number): void {
    this.#values.push(0);
    const at = this.#sums.length;
    let sum = 0;
    for (let child = at - 1, stop = at - (at & -at); child > stop; child -= child & -child) sum += this.#sums[child]!;
    this.#sums.push(sum);
    this.set(this.#values.length - 1, height);
  }

  /** The thing at a pixel: the last one that begins there or above. */
  indexAt(pixel: number): number {
    let index = 0;
    let rest = pixel;
    let step = 1;
    while (step * 2 < this.#sums.length) step *= 2;
    for (; step > 0; step >>= 1) {
      const next = index + step;
      if (next < this.#sums.length && this.#sums[next]! <= rest) {
        index = next;
        rest -= this.#sums[next]!;
      }
    }
    return Math.min(index, Math.max(0, this.#values.length - 1));
  }
}
