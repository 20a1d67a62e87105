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

/** An event of the catalogue, with its place in the journal. */
export type OllmEvent = OllmEventByType[EventType];
/** An event of this type, or of one of these. */
export type OllmEventOf<Type extends EventType> = OllmEventByType[Type];

/** Types of a program's own events, by their names, with their data: `interface Mine { 'garden.watered': { … } }`. */
export type OwnEvents<Own> = { readonly [Type in keyof Own]: object };
/** The event types of the catalogue only. */
export type NoOwnEvents = Record<never, never>;

/** The event of a type, of the catalogue or of a program. */
export type EventOf<Type extends string, Own extends OwnEvents<Own> = NoOwnEvents> = {
  [Name in Type]: Name extends EventType
    ? OllmEventByType[Name]
    : {
        readonly type: Name;
        readonly seq: number;
        readonly ts: string;
        readonly turn?: number | undefined;
        readonly id?: string | undefined;
        readonly data: Name extends keyof Own ? Readonly<Own[Name]> : Readonly<Record<string, unknown>>;
      };
}[Type];

/** An event of a program's own types, to be appended. Readers that do not know its type skip it. */
export type NewOwnEvent<Own extends OwnEvents<Own>> = {
  [Type in keyof Own & string]: {
    readonly type: Type;
    readonly data: Own[Type];
    readonly turn?: number | undefined;
    readonly id?: string | undefined;
    readonly ignorable: true;
  };
}[keyof Own & string];

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
