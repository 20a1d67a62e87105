// Counts the content that a form of export cannot carry, so that the user can be told.
import { formatCount } from '../display/quantities.ts';
import type { ExportItem } from './item.ts';

export interface Losses {
  add(one: string, several: string, count?: number): void;
  /** Such as `2 images`, in the order in which they were met. */
  list(): readonly string[];
}

export function lossCounter(): Losses {
  const counts = new Map<string, { one: string; count: number }>();
  return {
    add(one, several, count = 1) {
      if (count > 0) counts.set(several, { one, count: count + (counts.get(several)?.count ?? 0) });
    },
    list: () => [...counts].map(([several, { one, count }]) => `${formatCount(count)} ${count === 1 ? one : several}`),
  };
}

/** Counts an item that is not an event of a known type. */
export function addUnread(losses: Losses, { kind }: ExportItem): void {
  if (kind === 'damage') losses.add('damaged place', 'damaged places');
  if (kind === 'unknown') losses.add('event of an unknown type', 'events of unknown types');
}
