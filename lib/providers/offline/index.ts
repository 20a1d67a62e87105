export type { PastMessage, PastMessages } from './history.ts';
export { createOfflineProvider, OFFLINE_MODEL, type OfflineOptions } from './provider.ts';
export type { FoundFile, FoundFiles, OfflineSearch } from './search.ts';
