// What every account of a session begins with: since when it continues, which model answers, its title. A part
// of other states, like context.ts.
import type { EventData, OllmEventOf } from '../events/index.ts';
import { NO_TIME, timeOf } from '../events/time-of.ts';

export interface Heading {
  /** RFC 3339. */
  startTime: string;
  /** RFC 3339: the last message or tool call; moved on by the state that this is a part of. */
  lastActivity: string;
  model: string;
  provider: string;
  /** How much the model thinks, where that was chosen. */
  thinking?: NonNullable<EventData<'model.changed'>['thinking']>;
  title?: string;
}

const JOURNAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const HEADING_EVENTS = ['session.created', 'session.titled', 'model.changed'] as const;

type HeadingEvent = OllmEventOf<(typeof HEADING_EVENTS)[number]>;

/**
 * The later of the time before and that of an event. No older record makes a session older, and nothing happened after
 * it was stored.
 */
export function laterOf(before: string, event: Parameters<typeof timeOf>[0]): string {
  const happened = timeOf(event);
  if (happened === undefined) return before;
  const time = event.ts !== NO_TIME && isLater(happened, event.ts) ? event.ts : happened;
  return before !== '' && isLater(before, time) ? before : time;
}

/** Nearly all times have the form of the journal's, in which the order of texts is the order of times. */
function isLater(one: string, other: string): boolean {
  if (JOURNAL_TIME.test(one) && JOURNAL_TIME.test(other)) return one > other;
  return Date.parse(one) > Date.parse(other);
}

export function noHeading(): Heading {
  return { startTime: '', lastActivity: '', model: '', provider: '' };
}

export function applyHeading(heading: Heading, event: HeadingEvent): void {
  switch (event.type) {
    case 'session.created':
      heading.startTime = timeOf(event) ?? '';
      heading.lastActivity = event.data.older?.lastActivity ?? heading.startTime;
      heading.model = event.data.model;
      heading.provider = event.data.provider;
      if (event.data.title !== undefined) heading.title = event.data.title;
      break;
    case 'session.titled':
      heading.title = event.data.title;
      break;
    case 'model.changed':
      heading.model = event.data.model;
      heading.provider = event.data.provider;
      if (event.data.thinking === undefined) delete heading.thinking;
      else heading.thinking = event.data.thinking;
      break;
  }
}
