// Sessions as text for people and programs. Each format in its own file, to be imported there when it is used; this
// index holds what they share and loads nothing that is large.
export { type ExportHead, headRows, headTitle } from './head.ts';
export type { DamagedPlace, ExportItem } from './item.ts';
export { type Redact, redactedItems, redactedValue } from './redacted.ts';
export { type Survey, surveyFold } from './survey.ts';
export { type Block, transcript } from './transcript.ts';
