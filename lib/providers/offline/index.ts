export type { Messages, PastMessage } from './history.ts';
export { createOfflineProvider, OFFLINE_MODEL, type OfflineOptions } from './provider.ts';
export type { FoundFile, FoundFiles, ProjectSearch } from './search.ts';
