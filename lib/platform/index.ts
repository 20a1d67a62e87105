export { type Clock, manualClock, systemClock } from './clock.ts';
export type { DirectoryEntry, DiskSpace, FileHandle, FileKind, FileStat, FileSystem, OpenMode } from './file-system.ts';
export { countingIds, type Ids, systemIds } from './ids.ts';
export { type Log, type LogFields, type LogLevel, silentLog } from './log.ts';
export { type ProcessInfo, thisProcess } from './process-info.ts';
