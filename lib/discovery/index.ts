export { BUILTIN_IGNORES } from './ignore-rules.ts';
export { loadIgnorePatterns, shouldIgnore } from './patterns.ts';
export { createProjectFiles, type ProjectFilesOptions } from './project-files.ts';
export type {
  Discovery,
  DiscoveryOptions,
  DiscoveryReport,
  FileEntry,
  ProjectDocument,
  ProjectFiles,
  ProjectListing,
  SkipReason,
} from './types.ts';
export { discover, discoverAll } from './walk.ts';
