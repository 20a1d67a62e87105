// Which types of events there are, and what each means. The list is generated from the schemas.
import { EVENT_MEANINGS } from './catalogue.generated.ts';
import type { EventType } from './index.ts';

export { EVENT_MEANINGS };

/** Every type of event that this version knows. docs/events.md says what each means. */
export const EVENT_TYPES = Object.keys(EVENT_MEANINGS) as readonly EventType[];

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES);

/**
 * Whether this version knows the type.
 *
 * @example
 * isEventType('message.added'); // true
 */
export function isEventType(type: string): type is EventType {
  return KNOWN.has(type);
}
