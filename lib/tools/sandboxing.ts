// The boundary that the operating system draws around programs which tools start. Adapters are in sandbox/.

/** What a confined program may touch. All paths are absolute; a later group wins over an earlier one. */
export interface SandboxScope {
  /** Readable and writable. Everything else that is not hidden is read-only, unless `visible` says less. */
  readonly writable: readonly string[];
  /** Can be read also where a program otherwise has a place of its own: in /tmp. */
  readonly readable?: readonly string[] | undefined;
  /**
   * Cannot be written, also where nothing is there yet: the journals, our configuration, `.git`, start-up files of
   * shells. One that ends in a slash is that of a directory, should nothing be there.
   */
  readonly protected: readonly string[];
  /** Cannot be seen: keys, credentials. */
  readonly hidden: readonly string[];
  /** Can be read in a hidden directory. */
  readonly shown?: readonly string[] | undefined;
  /** Files among the hidden that are seen with as many line ends as they have bytes. The others are seen as empty. */
  readonly blank?: readonly string[] | undefined;
  readonly network: boolean;
  /**
   * The only existing places, together with the readable ones; nothing is writable then. Absent: the whole disk can be
   * read.
   */
  readonly visible?: readonly string[] | undefined;
  /** Directories that the program sees, and may write, in the place of others. Only where `hasStandIns` says so. */
  readonly standIns?: readonly StandIn[] | undefined;
  /** Files that the program gets in a place of its own. */
  readonly given?: readonly GivenFile[] | undefined;
}

export interface GivenFile {
  readonly name: string;
  readonly text: string;
  readonly isProgram?: true | undefined;
  /** Variables that the program gets, by the place of the file. */
  readonly variables: (place: string) => Readonly<Record<string, string>>;
}

/** Both are absolute real paths; `path` need not be there. */
interface StandIn {
  readonly path: string;
  readonly by: string;
}

/** Further closed places: absolute paths that exist. */
export type ClosedPaths = Pick<SandboxScope, 'protected' | 'hidden'>;

/** A way to confine a program. */
export interface Sandbox {
  /** `bubblewrap`, `seatbelt`; stored in tool.started. */
  readonly name: string;
  /** Directories that each confined program has for itself, empty at first and gone with it. */
  readonly ownPlaces?: readonly string[] | undefined;
  /** Whether it can show a directory in the place of another one, and a loopback that no other program reaches. */
  readonly hasStandIns?: true | undefined;
  /** A protection that it has elsewhere and not on this machine, in words that follow its name. */
  readonly lacks?: string | undefined;
  /** The command that runs `argv` confined; `end` removes its temporary files. */
  confine(argv: readonly [string, ...string[]], scope: SandboxScope, cwd: string): ConfinedCommand;
}

export interface ConfinedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly end?: (() => void) | undefined;
  /** The bytes that the command reads from its descriptors 3 and up. */
  readonly inherited?: readonly Uint8Array[] | undefined;
  /** Whether the command stays the parent of the program, and everything inside ends with it. */
  readonly guardsTree?: boolean | undefined;
}

/** The sandbox of this machine, or why there is none, in a sentence that says what to install. */
export type SandboxFinding =
  | { readonly available: true; readonly sandbox: Sandbox }
  | { readonly available: false; readonly reason: string };
