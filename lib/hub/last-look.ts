// The last look at the sessions of other programs: each path that it saw with its stamp, and each variable that it
// asked for. As long as all of them are the same, another look would find nothing that it did not. To see that, no
// program's module is loaded, no directory is read, and no session is compared with its row.
import { stampAt, stampOf } from '../platform/disks/path-stamp.ts';
import type { FileStat, FileSystem, OpenMode } from '../platform/files/file-system.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** As it is stored. */
interface StoredLook {
  readonly about: string;
  readonly variables: Readonly<Record<string, string | null>>;
  readonly projects: readonly string[];
  readonly paths: readonly string[];
  /** In the order of the paths. */
  readonly stamps: readonly string[];
}

/** The facts of now. */
interface LookNow {
  /** All else that decides on the answer, such as settings and the state of the catalogue. */
  readonly about: string;
  readonly env: Variables;
  /** The one that programs with sessions in projects are asked about in any case. */
  readonly project: string;
  readonly fileSystem: Links;
}

type Links = Pick<FileSystem, 'stat' | 'realPath'>;

/** Remembers a look while it is made through `fileSystem` and `env`. */
export class LookRecorder {
  /** Notes each path before it is read. */
  readonly fileSystem: FileSystem;
  /** Notes each variable that is asked for. */
  readonly env: Variables;
  readonly #stamps = new Map<string, string>();
  readonly #variables = new Map<string, string | null>();
  readonly #startedMs: number;
  #isSettled = true;

  constructor({ fileSystem, env }: { readonly fileSystem: FileSystem; readonly env: Variables }, startedMs: number) {
    this.#startedMs = startedMs;
    const noting: Readonly<Record<string, unknown>> = {
      stat: (path: string) => this.#note(path, fileSystem),
      ...this.#afterNote('readDirectory', fileSystem),
      ...this.#afterNote('readNames', fileSystem),
      ...this.#afterNote('realPath', fileSystem),
      ...this.#afterNote('open', fileSystem),
    };
    this.fileSystem = new Proxy(fileSystem, {
      get(target, name) {
        if (Object.hasOwn(noting, name)) return noting[String(name)];
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    this.env = new Proxy(env, {
      get: (target, name) => {
        const value = target[String(name)];
        this.#variables.set(String(name), value ?? null);
        return value;
      },
    });
  }

  /**
   * The look for the catalogue. Undefined where something changed so short a time before it that another change may
   * leave the same stamp.
   */
  stored(about: string, projects: readonly string[]): string | undefined {
    if (!this.#isSettled) return undefined;
    const look: StoredLook = {
      about,
      variables: Object.fromEntries(this.#variables),
      projects,
      paths: [...this.#stamps.keys()],
      stamps: [...this.#stamps.values()],
    };
    return JSON.stringify(look);
  }

  /** A method of the file system that notes its path first. */
  #afterNote<Name extends 'readDirectory' | 'readNames' | 'realPath' | 'open'>(name: Name, fileSystem: FileSystem) {
    const noted = (path: string, ...rest: [OpenMode, number?]) => {
      this.#note(path, fileSystem);
      return (fileSystem[name] as (path: string, ...rest: unknown[]) => unknown)(path, ...rest);
    };
    return { [name]: noted };
  }

  /** The first stamp counts: a later one may be that of unread bytes. */
  #note(path: string, fileSystem: FileSystem): FileStat | undefined {
    if (!this.#stamps.has(path)) {
      const { text, isCertain } = stampAt(path, { fileSystem, atMs: this.#startedMs });
      this.#stamps.set(path, text);
      this.#isSettled &&= isCertain;
    }
    return fileSystem.stat(path);
  }
}

/** Whether a look would see the same as the stored one. */
export function seesTheSame(stored: string, { about, env, project, fileSystem }: LookNow): boolean {
  const look = JSON.parse(stored) as StoredLook;
  if (look.about !== about || !look.projects.includes(project)) return false;
  if (Object.entries(look.variables).some(([name, value]) => (env[name] ?? null) !== value)) return false;
  return look.paths.every((path, index) => look.stamps[index] === stampOf(path, fileSystem));
}
