export { BUILTIN_IGNORES } from './ignore-rules.ts';
export { loadIgnorePatterns, shouldIgnore } from './patterns.ts';
export type { Discovery, DiscoveryOptions, DiscoveryReport, FileEntry } from './types.ts';
export { discover, discoverAll } from './walk.ts';
