export { type Clock, manualClock, systemClock } from './clock.ts';
export { type FileLog, type FileLogOptions, openLog } from './file-log.ts';
export type {
  DirectoryEntry,
  DiskSpace,
  FileHandle,
  FileKind,
  FileStat,
  FileSystem,
  OpenMode,
} from './files/file-system.ts';
export { readFile, type SystemErrorCode, systemError } from './files/io.ts';
export {
  type MemoryFileSystem,
  type MemoryFileSystemOptions,
  memoryFileSystem,
  type PowerCutOptions,
} from './files/memory-file-system.ts';
export { nodeFileSystem } from './files/node-file-system.ts';
export { countingIds, type Ids, systemIds } from './ids.ts';
export { type Log, type LogFields, type LogLevel, silentLog } from './log.ts';
export { type ProcessInfo, thisProcess } from './processes/process-info.ts';
