// A thought that a local model writes into its answer, between <think> and </think> at the beginning, as reasoning.
// What an answer says of such tags later stays text.
import type { Provider, ProviderSignal } from './provider.ts';

const OPEN = '<think>';
const CLOSE = '</think>';

/** Wraps a provider: thoughts at the beginning of its answers become reasoning. */
export function splittingThoughts<P extends Provider>(provider: P): P {
  return { ...provider, stream: (request, options) => splitThoughts(provider.stream(request, options)) };
}

async function* splitThoughts(signals: AsyncIterable<ProviderSignal>): AsyncGenerator<ProviderSignal, void> {
  const splitter = new Splitter();
  try {
    for await (const signal of signals) {
      if (signal.type === 'text') {
        yield* splitter.take(signal.text);
        continue;
      }
      if (signal.type === 'tool-call' || signal.type === 'finish') yield* splitter.rest();
      yield signal;
    }
  } catch (error) {
    yield* splitter.rest();
    throw error;
  }
}

class Splitter {
  #place: 'before' | 'thought' | 'gap' | 'answer' = 'before';
  /** Text whose kind is not known yet. */
  #held = '';

  *take(text: string): Generator<ProviderSignal> {
    this.#held += text;
    if (this.#place === 'before') this.#begin();
    if (this.#place === 'thought') yield* this.#think();
    if (this.#place === 'gap') this.#skipGap();
    if (this.#place === 'answer') yield* this.rest();
  }

  *rest(): Generator<ProviderSignal> {
    const text = this.#held;
    this.#held = '';
    if (text !== '') yield { type: this.#place === 'thought' ? 'reasoning' : 'text', text };
  }

  #begin(): void {
    const start = this.#held.trimStart();
    if (start.startsWith(OPEN)) {
      this.#place = 'thought';
      this.#held = start.slice(OPEN.length);
    } else if (!OPEN.startsWith(start)) this.#place = 'answer';
  }

  *#think(): Generator<ProviderSignal> {
    const end = this.#held.indexOf(CLOSE);
    const known = end === -1 ? this.#held.length - lengthOfBegunTag(this.#held) : end;
    const thought = this.#held.slice(0, known);
    if (thought !== '') yield { type: 'reasoning', text: thought };
    this.#held = this.#held.slice(known);
    if (end === -1) return;
    this.#held = this.#held.slice(CLOSE.length);
    this.#place = 'gap';
  }

  /** White space between the thought and the answer. */
  #skipGap(): void {
    this.#held = this.#held.trimStart();
    if (this.#held !== '') this.#place = 'answer';
  }
}

/** Characters at the end of the text that may be the beginning of the closing tag. */
function lengthOfBegunTag(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(CLOSE.slice(0, length))) return length;
  return 0;
}
