// What discovery offers: which files a project consists of, as its author sees it.

/** What a directory says of its entries. */
export interface FoundName {
  /** From the root, with `/` between its parts on every system; a directory has no `/` at its end. */
  readonly relativePath: string;
  readonly type: 'file' | 'directory';
}

export interface FileEntry extends FoundName {
  /** Absolute, in the form of this operating system. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
}

export interface DiscoveryOptions {
  readonly root: string;
  /** Levels below the root that are entered: 0 is only the root. No limit unless given. */
  readonly maxDepth?: number | undefined;
  /** Globs; an entry must match one of them. A glob without `/` is matched only against the name. */
  readonly includePatterns?: readonly string[] | undefined;
  /** Globs; an entry that matches one is left out, and a directory that does is not entered. */
  readonly excludePatterns?: readonly string[] | undefined;
  /** Names of directories that no project's own files are in. BUILTIN_IGNORES unless given. */
  readonly builtinIgnores?: readonly string[] | undefined;
  /** Whether symbolic links are followed to where they lead inside the root. Default: no. */
  readonly followSymlinks?: boolean | undefined;
  /** The user's own rules for all projects, which git calls core.excludesFile. A path; there need be no such file. */
  readonly globalExcludes?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The numbers of omitted entries, by reason. Complete once the iteration has ended. */
export interface DiscoveryReport {
  /** Directories and files that could not be read. */
  unreadable: number;
  /** The first of them, relative to the root. */
  readonly unreadablePaths: string[];
  /** Symbolic links that are neither listed nor followed: all, unless `followSymlinks`; then those that cannot be. */
  links: number;
  /**
   * Links that lead out of the root, or into a `.git`. Counted only with `followSymlinks`, as is the next.
   */
  linksOutside: number;
  /** Links that lead back to a directory above them. */
  linkCircles: number;
  /** Directories that lie deeper than `maxDepth`. */
  tooDeep: number;
  /** Directories with a built-in name that git does not leave out, and that hold no tracked file. */
  builtin: number;
  /** Their names, each once. */
  readonly builtinNames: string[];
  /** Sentences about patterns that could not be used. */
  readonly warnings: string[];
}

/** To be gone through once: as entries, or as names. */
export interface Discovery extends AsyncIterable<FileEntry> {
  readonly report: DiscoveryReport;
  /**
   * Only the names, without size and time, for which each file would be looked at: several at a time, in less than half
   * the time.
   */
  names(): AsyncIterable<readonly FoundName[]>;
}

/** What can be ended, once or more often. */
export interface Disposable {
  dispose(): void;
}

export type ChangeType = 'add' | 'change' | 'unlink';

/** `path` is absolute. */
export type ChangeCallback = (event: ChangeType, path: string) => void;

/** Why a file is not read: it is not text, too large, likely to hold credentials, or cannot be read. */
export type SkipReason = 'binary' | 'large' | 'credentials' | 'unreadable';

/** What a search of the files of a project found. */
export interface FoundInProject<Passage> {
  /** Best first, one of each file. */
  readonly passages: readonly Passage[];
  /** Words of the question that are in no file. */
  readonly missing: readonly string[];
  /** How many files there are, and their paths. */
  readonly files: number;
  readonly paths: readonly string[];
  /** Whether there are more files than may be searched. */
  readonly isCut: boolean;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Files that wait for the next question. */
  readonly left: number;
}

/** How the files of a project are searched. */
export interface ProjectQuestion<Passage> {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly isLeftOut?: ((passage: Passage) => boolean) | undefined;
}

export type ProjectDocument =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly skipped: SkipReason };

export interface ProjectListing {
  /** Relative to the root, with `/`, sorted. */
  readonly paths: readonly string[];
  /** Whether there are more files than may be listed. */
  readonly isCut: boolean;
}

/** The texts of a project. Only listed paths can be read, so no path leads out of the root. */
export interface ProjectFiles {
  /** For people: where these files lie. */
  readonly root: string;
  list(options: { readonly signal: AbortSignal }): Promise<ProjectListing>;
  read(path: string): Promise<ProjectDocument>;
  /** A stamp of a listed path that changes when the file does. */
  stampOf?(path: string): string | undefined;
}
