export { BUILTIN_IGNORES } from './ignore-rules.ts';
export { loadIgnorePatterns, shouldIgnore } from './patterns.ts';
export { createProjectFiles, type ProjectFilesOptions } from './project-files.ts';
export type {
  ChangeCallback,
  ChangeType,
  Discovery,
  DiscoveryOptions,
  DiscoveryReport,
  Disposable,
  FileEntry,
  FoundName,
  ProjectDocument,
  ProjectFiles,
  ProjectListing,
  SkipReason,
} from './types.ts';
export { discover, discoverAll } from './walk.ts';
export { type Watch, type WatchOptions, watchChanges } from './watch.ts';
