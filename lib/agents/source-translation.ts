// The translation of a source, record by record. The index, which reads sources in place, and an import, which reads
// the kept bytes, both translate here, and continue an earlier translation from the same form of checkpoint.
import type { Damage } from '../journal/types.ts';
import type { Agent, ForeignEvent, Source } from './agent.ts';
import type { Fidelity } from './fidelity.ts';
import type { RecordStep } from './records.ts';
import { Translator, type TranslatorState } from './translator.ts';

/** How far a translation has come. Plain JSON. */
export interface TranslationCheckpoint {
  /** Bytes of the source that were translated. */
  readonly offset: number;
  readonly translator: TranslatorState;
}

interface SourceTranslationOptions {
  readonly generation?: number;
  /** Default: it begins at the beginning of the source. */
  readonly from?: TranslationCheckpoint | undefined;
}

export class SourceTranslation {
  readonly #translator: Translator;
  #offset: number;

  constructor(agent: Agent, source: Source, { generation = 0, from }: SourceTranslationOptions = {}) {
    this.#translator = new Translator(agent, source, generation, from?.translator);
    this.#offset = from?.offset ?? 0;
  }

  get offset(): number {
    return this.#offset;
  }

  /** The number of the next event. */
  get seq(): number {
    return this.#translator.seq;
  }

  /** Returns the events of a record, or its damage. `counted` notes how much of it they say. */
  take(
    step: Exclude<RecordStep, { readonly kind: 'pause' }>,
    counted?: Fidelity,
  ): { readonly events: readonly ForeignEvent[]; readonly damage?: Damage | undefined } {
    this.#offset = step.end ?? this.#offset;
    if (step.kind === 'damage') {
      counted?.seeDamage(step.damage);
      return { events: [], damage: step.damage };
    }
    const { events, translation, damage } = this.#translator.translate(step);
    if (damage === undefined) counted?.see(step.record, translation);
    else counted?.seeDamage(damage);
    return { events, damage };
  }

  checkpoint(): TranslationCheckpoint {
    return { offset: this.#offset, translator: this.#translator.save() };
  }
}
