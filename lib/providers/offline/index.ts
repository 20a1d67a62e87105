export { createHistorySearch, type HistorySearch, type Messages, type PastMessage } from './history.ts';
export { createOfflineProvider, OFFLINE_MODEL, type OfflineOptions } from './provider.ts';
