// What stands at the head of every account of a session: since when it goes on, who answers, what it is called. A part
// of other states, like context.ts.
import type { OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';

export interface Heading {
  /** RFC 3339. */
  startTime: string;
  /** RFC 3339: the last message or tool call; moved on by the state that this is a part of. */
  lastActivity: string;
  model: string;
  provider: string;
  title?: string;
}

export const HEADING_EVENTS = ['session.created', 'session.titled', 'model.changed'] as const;

export type HeadingEvent = OllmEventOf<(typeof HEADING_EVENTS)[number]>;

/**
 * The later of the time before and that of an event. No older record makes a session older, and nothing happened after
 * it was stored.
 */
export function laterOf(before: string, event: Parameters<typeof timeOf>[0]): string {
  const happened = timeOf(event);
  const time = Date.parse(happened) > Date.parse(event.ts) ? event.ts : happened;
  return Date.parse(time) < Date.parse(before) ? before : time;
}

export function noHeading(): Heading {
  return { startTime: '', lastActivity: '', model: '', provider: '' };
}

export function applyHeading(heading: Heading, event: HeadingEvent): void {
  switch (event.type) {
    case 'session.created':
      heading.startTime = timeOf(event);
      heading.lastActivity = heading.startTime;
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
      break;
  }
}
