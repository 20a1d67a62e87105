// An event is a fact about a session, stored in its journal. The types come from schemas/events/.
import type { EventDataByType } from './types.generated.ts';

/** The name of a type of the catalogue: `message.added`. */
export type EventType = keyof EventDataByType;
/** What an event of this type carries in `data`. */
export type EventData<Type extends EventType> = EventDataByType[Type];

export type OllmEventByType = {
  [Type in EventType]: {
    readonly type: Type;
    readonly seq: number;
    readonly ts: string;
    readonly turn?: number | undefined;
    readonly id?: string | undefined;
    readonly data: EventDataByType[Type];
  };
};

/** One event of the catalogue, with its place in the journal. */
export type OllmEvent = OllmEventByType[EventType];
/** An event of this type, or of one of these. */
export type OllmEventOf<Type extends EventType> = OllmEventByType[Type];

/** A catalogue event to be appended. */
export type NewOllmEvent = {
  [Type in EventType]: {
    readonly type: Type;
    readonly data: EventDataByType[Type];
    readonly turn?: number | undefined;
    readonly id?: string | undefined;
    readonly ignorable?: true | undefined;
  };
}[EventType];

export type * from './types.generated.ts';
