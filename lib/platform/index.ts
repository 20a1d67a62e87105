export { type Clock, manualClock, systemClock } from './clock.ts';
export { type FileLog, type FileLogOptions, openLog } from './file-log.ts';
export type { DirectoryEntry, DiskSpace, FileHandle, FileKind, FileStat, FileSystem, OpenMode } from './file-system.ts';
export { countingIds, type Ids, systemIds } from './ids.ts';
export { type Log, type LogFields, type LogLevel, silentLog } from './log.ts';
export {
  type MemoryFileSystem,
  type MemoryFileSystemOptions,
  memoryFileSystem,
  type PowerCutOptions,
} from './memory-file-system.ts';
export { nodeFileSystem } from './node-file-system.ts';
export { type ProcessInfo, thisProcess } from './process-info.ts';
export { readFile } from './read-file.ts';
export { type SystemErrorCode, systemError } from './system-error.ts';
