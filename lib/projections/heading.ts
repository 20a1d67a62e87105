// What stands at the head of every account of a session: since when it goes on, who answers, what it is called. A part of
// other states, like context.ts.
import type { OllmEventOf } from '../events/index.ts';

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

export function noHeading(): Heading {
  return { startTime: '', lastActivity: '', model: '', provider: '' };
}

export function applyHeading(heading: Heading, event: HeadingEvent): void {
  switch (event.type) {
    case 'session.created':
      heading.startTime = event.ts;
      heading.lastActivity = event.ts;
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
