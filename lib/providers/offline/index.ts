export { createHistorySearch, type Messages } from './history.ts';
export type { HistoryHit, HistorySearch, PastMessage, ProjectFiles } from './ports.ts';
export { createOfflineProvider, OFFLINE_MODEL, type OfflineOptions } from './provider.ts';
