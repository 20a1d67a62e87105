// The keys of the encrypted sessions that this process has opened, and where they come from: the key file of the
// settings, or a passphrase from the terminal or from a client of the server. They are only in memory. A passphrase is
// asked for only when the content of an encrypted session is needed; one that opened a session on the terminal is tried
// on the next.
import { isOllmError, OllmError, systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { readFile } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import {
  deriveKey,
  type Encryption,
  faultOf,
  type KeyDerivation,
  keyOfFile,
  keyOfPassphrase,
  newDerivation,
  newKeys,
  type SessionKeys,
  unwrapKeys,
} from './encryption.ts';

/** Asks the user without echo; undefined if there is no terminal to ask on. */
export type AskPassphrase = (question: string) => string | undefined;

/** What deriving a key from a passphrase costs: the numbers of scrypt. */
export interface PassphraseCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export type EncryptionCopies = readonly [Encryption, ...Encryption[]];

export interface Keyring extends OpenedKeys {
  /**
   * The keys of a session, asked for if they have to be. `copies`: what its lines say, where they differ.
   * @throws OllmError SESSION_ENCRYPTED, KEY_WRONG, KEY_UNUSABLE: no copy is opened, or none is of use
   */
  keysOf(id: string, copies: EncryptionCopies): SessionKeys;
  /** The keys that are open already. */
  known(id: string, encryption: Encryption): SessionKeys | undefined;
  /** Keys for a new session. `from`: the encryption of the session that it continues. @throws as `keysOf` */
  create(id: string, from?: Encryption): SessionKeys;
  /** The keys of attachments. */
  ofBlob(blobId: string): SessionKeys | undefined;
}

/** The sessions that a passphrase has opened. */
export interface OpenedKeys {
  /**
   * Opens a session by a passphrase that was given elsewhere than on the terminal. The passphrase is not kept, so it is
   * tried on no other session. The thread is not held up. `copies`: what its lines say, where they differ.
   * @throws OllmError KEY_WRONG, KEY_UNUSABLE, SESSION_ENCRYPTED (a key file opens it)
   */
  open(id: string, copies: EncryptionCopies, passphrase: string): Promise<void>;
  /** What opens the sessions that a passphrase has opened. */
  opened(): readonly OpenedKey[];
  /** Has what another keyring of this process has opened by passphrases, and nothing else of that kind. */
  take(keys: readonly OpenedKey[]): void;
  /** Forgets what opens a session, and others that the same passphrase opened with it, such as its forks. */
  forget(id: string): void;
}

/** What opens a session: plain data, which can go to another thread. */
export interface OpenedKey {
  readonly id: string;
  readonly encryption: Encryption;
  readonly wrapping: Uint8Array<ArrayBuffer>;
}

interface KeyringOptions {
  readonly fileSystem: Pick<FileSystem, 'open'>;
  /** Absolute; `retention.keyFile`. */
  readonly keyFile: string | undefined;
  /** The user's id; undefined where the system has none. */
  readonly uid?: number | undefined;
  readonly ask: AskPassphrase;
  /** Default: the numbers that OWASP recommends. */
  readonly cost?: PassphraseCost | undefined;
}

const ATTEMPTS = 3;
const SHORTEST_PASSPHRASE = 8;
const SHORTEST_KEY_FILE_BYTES = 32;
const LONGEST_KEY_FILE_BYTES = 1024 * 1024;

export function createKeyring({ fileSystem, keyFile, uid, ask, cost }: KeyringOptions): Keyring {
  const opened = new Map<string, { readonly id: string; readonly keys: SessionKeys }>();
  const passphrases = new Passphrases(ask, cost);
  const ofKeyFile = (path: string, kdf: KeyDerivation) => keyOfFile(readKeyFile(fileSystem, path, uid), kdf);

  const nameOf = (id: string, { key }: Encryption) => `${id}\n${key}`;
  const known = (id: string, encryption: Encryption) => opened.get(nameOf(id, encryption))?.keys;
  const keep = (id: string, keys: SessionKeys): SessionKeys => {
    opened.set(nameOf(id, keys.encryption), { id, keys });
    if (keys.encryption.by === 'passphrase') passphrases.last = { kdf: keys.encryption.kdf, wrapping: keys.wrapping };
    return keys;
  };

  const byPassphrase = () => [...opened.values()].filter(({ keys }) => keys.encryption.by === 'passphrase');
  const forgetAll = (isForgotten: (salt: string) => boolean): void => {
    for (const [name, { keys }] of opened) {
      const { by, kdf } = keys.encryption;
      if (by === 'passphrase' && isForgotten(kdf.salt)) opened.delete(name);
    }
    passphrases.forget(isForgotten);
  };

  function withKeyFile(id: string, copies: readonly Encryption[]): SessionKeys {
    if (keyFile === undefined) throw needsKeyFile(id);
    for (const encryption of copies) {
      const keys = unwrapKeys(id, encryption, ofKeyFile(keyFile, encryption.kdf));
      if (keys) return keys;
    }
    throw new OllmError('KEY_WRONG', `Session ${id} is encrypted, and the key file does not open it: ${keyFile}`, {
      hint: 'Nothing was changed. Name the file that it was made with in retention.keyFile.',
      data: { id, path: keyFile },
    });
  }

  function triedKeyFile(id: string, copies: readonly Encryption[]): SessionKeys | undefined {
    try {
      return withKeyFile(id, copies);
    } catch (error) {
      if (isOllmError(error, 'KEY_WRONG')) return undefined;
      throw error;
    }
  }

  return {
    keysOf(id, copies) {
      for (const encryption of copies) {
        const there = known(id, encryption);
        if (there) return there;
      }
      const sound = copies.filter((encryption) => faultOf(encryption) === undefined);
      if (sound.length === 0) throw unusable(id, faultOf(copies[0])!);
      const ofFile = sound.filter(({ by }) => by === 'key-file');
      const typed = sound.filter(({ by }) => by === 'passphrase');
      // Where the lines differ in what opens them, a key file is tried before anything is asked.
      if (typed.length === 0) return keep(id, withKeyFile(id, ofFile));
      const keys = keyFile === undefined || ofFile.length === 0 ? undefined : triedKeyFile(id, ofFile);
      return keep(id, keys ?? passphrases.open(id, typed));
    },
    known,
    create(id, from) {
      const parent = from && [...opened.values()].find(({ keys }) => keys.encryption.key === from.key)?.keys;
      if (parent) {
        const { encryption, wrapping, session } = parent;
        return keep(id, newKeys(id, { by: encryption.by, kdf: encryption.kdf, wrapping, session }));
      }
      if (keyFile === undefined) return keep(id, newKeys(id, { by: 'passphrase', ...passphrases.forNew(id) }));
      const kdf = newDerivation('key-file');
      const content = readKeyFile(fileSystem, keyFile, uid);
      const fault = faultOfKeyFile(keyFile, content);
      if (fault) throw fault;
      return keep(id, newKeys(id, { by: 'key-file', kdf, wrapping: keyOfFile(content, kdf) }));
    },
    ofBlob: (blobId) => [...opened.values()].find(({ keys }) => keys.blobId === blobId)?.keys,
    async open(id, copies, passphrase) {
      const sound = copies.filter((encryption) => faultOf(encryption) === undefined);
      if (sound.length === 0) throw unusable(id, faultOf(copies[0])!);
      const typed = sound.filter(({ by }) => by === 'passphrase');
      if (typed.length === 0) throw needsKeyFile(id);
      let isTooCostly = false;
      for (const encryption of typed) {
        const wrapping = await deriveKey(passphrase, encryption.kdf);
        isTooCostly ||= wrapping === undefined;
        const keys = wrapping && unwrapKeys(id, encryption, wrapping);
        if (keys) return void keep(id, keys);
      }
      throw isTooCostly ? unusable(id, TOO_COSTLY) : wrongPassphrase(id);
    },
    opened: () =>
      byPassphrase().map(({ id, keys: { encryption, wrapping } }) => ({
        ...{ id, encryption },
        // A copy: what goes to another thread takes along all of the memory that a Buffer is a part of.
        wrapping: new Uint8Array(wrapping),
      })),
    take(keys) {
      const salts = new Set(keys.map(({ encryption }) => encryption.kdf.salt));
      forgetAll((salt) => !salts.has(salt));
      for (const { id, encryption, wrapping } of keys) {
        if (known(id, encryption)) continue;
        const opens = unwrapKeys(id, encryption, Buffer.from(wrapping));
        if (opens) keep(id, opens);
      }
    },
    forget(id) {
      const salts = new Set(byPassphrase().flatMap((each) => (each.id === id ? each.keys.encryption.kdf.salt : [])));
      forgetAll((salt) => salts.has(salt));
    },
  };
}

interface WrappingKey {
  readonly kdf: KeyDerivation;
  readonly wrapping: Buffer;
}

/** Passphrases that were given in this process. */
class Passphrases {
  readonly #ask: AskPassphrase;
  readonly #cost: KeyringOptions['cost'];
  readonly #given = new Set<string>();
  /** The key of the session that was opened or made last by a passphrase: a new session is sealed with the same. */
  last: WrappingKey | undefined;

  constructor(ask: AskPassphrase, cost: KeyringOptions['cost']) {
    this.#ask = ask;
    this.#cost = cost;
  }

  /** Tries those that were given, then asks. */
  open(id: string, copies: readonly Encryption[]): SessionKeys {
    const attempt = (passphrase: string) => {
      const derived = new Map<string, Buffer>();
      for (const encryption of copies) {
        const { kdf } = encryption;
        const name = JSON.stringify(kdf);
        const wrapping = derived.get(name) ?? wrappingKey(id, passphrase, kdf);
        derived.set(name, wrapping);
        const keys = unwrapKeys(id, encryption, wrapping);
        if (keys) return keys;
      }
      return undefined;
    };
    for (const encryption of copies) {
      const isSameSalt = this.last?.kdf.salt === encryption.kdf.salt;
      const keys = isSameSalt ? unwrapKeys(id, encryption, this.last!.wrapping) : undefined;
      if (keys) return keys;
    }
    for (const passphrase of this.#given) {
      const keys = attempt(passphrase);
      if (keys) return keys;
    }
    for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
      const passphrase = this.#ask(tries === 1 ? `Passphrase of session ${id}: ` : 'Wrong passphrase. Try again: ');
      if (passphrase === undefined) throw needsKey(id);
      const keys = passphrase === '' ? undefined : attempt(passphrase);
      if (!keys) continue;
      this.#given.add(passphrase);
      return keys;
    }
    throw wrongPassphrase(id);
  }

  /** Keys with these salts are not tried any more; typed passphrases are dropped too. */
  forget(isForgotten: (salt: string) => boolean): void {
    if (this.last && isForgotten(this.last.kdf.salt)) this.last = undefined;
    this.#given.clear();
  }

  /** The last one, or one that the user types twice. */
  forNew(id: string): WrappingKey {
    if (this.last) return this.last;
    let wish = `New passphrase, of ${SHORTEST_PASSPHRASE} characters or more: `;
    for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
      const passphrase = this.#ask(wish);
      if (passphrase === undefined) throw needsNewKey(id);
      if ([...passphrase].length < SHORTEST_PASSPHRASE) {
        wish = `That has fewer than ${SHORTEST_PASSPHRASE} characters. New passphrase: `;
        continue;
      }
      if (this.#ask('Repeat the passphrase: ') !== passphrase) {
        wish = 'Those were not the same. New passphrase: ';
        continue;
      }
      const kdf = newDerivation('passphrase', this.#cost);
      const wrapping = wrappingKey(id, passphrase, kdf);
      this.#given.add(passphrase);
      return { kdf, wrapping };
    }
    throw new OllmError('KEY_WRONG', 'No passphrase was given twice the same: no session was made.', {
      hint: `It has to have ${SHORTEST_PASSPHRASE} characters or more. Try again, or name a key file in retention.keyFile.`,
    });
  }
}

function wrappingKey(id: string, passphrase: string, kdf: KeyDerivation): Buffer {
  const key = keyOfPassphrase(passphrase, kdf);
  if (key === undefined) throw unusable(id, TOO_COSTLY);
  return key;
}

/** @throws OllmError KEY_UNUSABLE: it is not there, can be read by others, or is too short or too long */
export function readKeyFile(fileSystem: Pick<FileSystem, 'open'>, path: string, uid: number | undefined): Uint8Array {
  const refuse = (what: string, hint: string, cause?: unknown) =>
    new OllmError('KEY_UNUSABLE', `The key file ${what}: ${path}`, { hint, data: { path }, cause });
  const makeOne = `make one: (umask 077; head -c 32 /dev/urandom > ${path})`;
  try {
    const handle = fileSystem.open(path, 'read');
    const stat = handle.stat();
    const { mode, size } = stat;
    handle.close();
    const problem = ownershipProblem(stat, uid);
    if (problem?.kind === 'foreign') throw refuse(problem.words, 'Use a key file of your own.');
    if ((mode & 0o077) !== 0) throw refuse('can be read by others', `Take that away: chmod 600 ${path}`);
    if (size < SHORTEST_KEY_FILE_BYTES || size > LONGEST_KEY_FILE_BYTES) {
      throw refuse(
        `has ${size} bytes; it has to have ${SHORTEST_KEY_FILE_BYTES} random ones or more`,
        `Instead, ${makeOne}`,
      );
    }
    return readFile(fileSystem, path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const hint = `Bring it back from a backup: without it, what it seals is lost. Where there was none yet, ${makeOne}`;
    throw refuse(code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`, hint, error);
  }
}

/** Why no new session should be made with a key file; older ones are opened with it. */
export function faultOfKeyFile(path: string, content: Uint8Array): OllmError | undefined {
  if (content.some((byte) => byte !== content[0])) return undefined;
  return new OllmError('KEY_UNUSABLE', `The key file has one byte again and again, which is no key: ${path}`, {
    hint: `Make one of random bytes, under another name: (umask 077; head -c 32 /dev/urandom > ${path}.new)`,
    data: { path },
  });
}

function unusable(id: string, why: string): OllmError {
  return new OllmError('KEY_UNUSABLE', `Session ${id} is encrypted, and its first line is of no use: ${why}.`, {
    hint: 'Its content cannot be opened without that line. Bring the journal back from a backup.',
    data: { id },
  });
}

const TOO_COSTLY = 'its passphrase key would cost more than this version pays';

function wrongPassphrase(id: string): OllmError {
  return new OllmError('KEY_WRONG', `Session ${id} is encrypted, and this passphrase does not open it.`, {
    hint: 'Nothing was changed. Without the passphrase the content is lost: there is no other way in.',
    data: { id },
  });
}

function needsKeyFile(id: string): OllmError {
  return new OllmError('SESSION_ENCRYPTED', `Session ${id} is encrypted, and a key file opens it.`, {
    hint: 'Name the file in config.yaml as retention.keyFile, or in OLLM_RETENTION__KEY_FILE.',
    data: { id, by: 'key-file' },
  });
}

function needsKey(id: string): OllmError {
  return new OllmError(
    'SESSION_ENCRYPTED',
    `Session ${id} is encrypted, and its passphrase cannot be asked for here.`,
    {
      hint: 'Run this on a terminal, before a REPL is open. For scripts, make sessions with a key file: retention.keyFile.',
      data: { id, by: 'passphrase' },
    },
  );
}

function needsNewKey(id: string): OllmError {
  return new OllmError(
    'SESSION_ENCRYPTED',
    `Session ${id} would be encrypted, and a passphrase cannot be asked for here.`,
    {
      hint: 'Begin it on a terminal, or name a key file in retention.keyFile. retention.encryptAtRest says whether new sessions are encrypted.',
      data: { id },
    },
  );
}
