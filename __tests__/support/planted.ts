// Each program that a test starts finds a secret in its environment, in addition to those that the test itself gives
// it. When the home of the test goes, everything that was written there is searched for them: a test that made one leak
// fails by that.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface PlantedSecrets {
  /** The environment with one secret more. What of it is a secret is remembered. */
  plant<Environment extends Readonly<Record<string, string | undefined>>>(environment: Environment): Environment;
  /** @throws Error with file and variable, if a secret is in something that was kept in this home */
  requireKept(home: string): void;
}

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/;
/** A shorter value is in many files by chance, and no secret for the program either. */
const LEAST_CHARACTERS = 8;
/** What ollm keeps: tests put files of their own alongside it. */
const KEPT = /^(?:session-data|\.ollm|history|state|ollm\.log|.*\.log(?:\.old)?$)/;
/** A journal that a test made larger than that holds filler. */
const MAX_BYTES = 64 * 1024 * 1024;

export function plantSecrets(): PlantedSecrets {
  const planted = new Map<string, string>([['CANARY_TOKEN', randomBytes(16).toString('hex')]]);
  return {
    plant(environment) {
      for (const [name, value = ''] of Object.entries(environment)) {
        if (SECRET_NAME.test(name) && value.length >= LEAST_CHARACTERS) planted.set(name, value);
      }
      return { CANARY_TOKEN: planted.get('CANARY_TOKEN'), ...environment };
    },
    requireKept(home) {
      for (const file of keptFiles(home)) {
        const bytes = readFileSync(file);
        for (const [name, value] of planted) {
          if (bytes.includes(value)) throw new Error(`The secret ${name} of the environment stands in ${file}.`);
        }
      }
    },
  };
}

function keptFiles(home: string): string[] {
  return readdirSync(home)
    .filter((name) => KEPT.test(name))
    .flatMap((name) => regularFiles(join(home, name)));
}

/** Tests also plant pipes, links and directories that cannot be read: they hold nothing that the program wrote. */
function regularFiles(path: string): string[] {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isFile()) return status.size > MAX_BYTES || (status.mode & 0o400) === 0 ? [] : [path];
  if (!status?.isDirectory() || (status.mode & 0o500) !== 0o500) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => !entry.isSymbolicLink()).flatMap(({ name }) => regularFiles(join(path, name)));
}
