// What a person should know of how a journal was opened for writing, one sentence each with what to do about it. Pure.
import { WRITING_ACTIONS } from '../journal/reading/recovery.ts';
import type { Damage, OpeningReport } from '../journal/types.ts';

export function describeOpening(id: string, { recovered, damage, clean }: OpeningReport): string[] {
  const places = damagedPlaces(damage);
  return [
    ...(recovered
      ? [
          `The last write was cut off by a crash: ${recovered.length} bytes that were never acknowledged are kept in quarantine/${recovered.quarantine}.`,
        ]
      : []),
    ...(places > 0 ? [describeDamage(id, places)] : []),
    ...(clean || recovered ? [] : ['The last run did not close this session; everything that it had stored is here.']),
  ];
}

export function describeDamage(id: string, places: number): string {
  const subject = places === 1 ? 'One place of the journal is' : `${places} places of the journal are`;
  return `${subject} damaged; what cannot be read was passed over. "ollm verify ${id}" shows what is wrong, "ollm repair ${id}" writes a clean copy.`;
}

/** Places that stay damaged: not the end of a write that a crash cut off, which opening puts in order. */
export function damagedPlaces(damage: readonly Damage[]): number {
  return damage.filter(({ kind }) => WRITING_ACTIONS[kind] === 'keep').length;
}
