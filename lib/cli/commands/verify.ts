// `ollm verify`: whether journals are whole, with every finding by line, offset and kind.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { SealCheck, VerifyFinding, VerifyReport } from '../../app/sessions/read/verify-sessions.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { OllmError } from '../../errors/index.ts';
import type { AllowedSigner } from '../../seals/allowed-signers.ts';
import type { SealReport } from '../../seals/check-seals.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { damageLine } from '../event-line.ts';
import { progressDrawer } from '../progress-bar.ts';
import type { Shell } from '../shell.ts';
import { turnTaker } from '../take-turns.ts';

interface Options {
  readonly all?: boolean;
  readonly deep?: boolean;
  readonly signed?: boolean;
  readonly allowedSigners?: string;
}

const DAMAGE_EXIT = 4;
/** Findings of one session that a JSON document holds; the rest is counted. */
const MAX_FINDINGS = 1000;

export function defineVerify(program: Command, finish: Finish): void {
  const command = program
    .command('verify')
    .description('check journals byte by byte; exit code 4 if any is damaged')
    .argument('[id...]', SESSION_ARGUMENT)
    .option('--all', 'all sessions')
    .option('--deep', 'also check each event against the schema of its type')
    .option('--signed', 'also check the seals of "ollm seal": which events stand under whose signature')
    .option('--allowed-signers <file>', 'only seals of these keys count, as in ssh-keygen; implies --signed')
    .action(
      action<Options, [string[]]>(finish, async (shell, options, references) => {
        if (references.length === 0 && !options.all) {
          throw new OllmError('USAGE', 'Which session?', { hint: 'Name one or more, or add --all.' });
        }
        const app = await shell.openApp('verify');
        return verifyAll(shell, app, await idsOf(app, options, references), options);
      }),
    );
  withExamples(command, [
    { line: 'ollm verify @last', does: 'one session: the damage, and its place' },
    { line: 'ollm verify --all && echo ok', does: 'all of them, for a cron job' },
    { line: 'ollm verify notes --allowed-signers team.txt', does: 'whether a seal of one of the team holds' },
    { line: 'ollm verify archive/notes.20261129-101500.jsonl', does: 'an earlier journal of a session that was reset' },
    { line: 'ollm verify notes --deep --json', does: 'also the contents; one line of JSON a session' },
  ]);
}

async function idsOf(app: App, { all }: Options, references: readonly string[]): Promise<readonly string[]> {
  if (all) return app.store.ids();
  const { archivedIn, resolveId } = await import('../../app/find/find-session.ts');
  const idOf = async (reference: string) => {
    const earlier = archivedIn(reference);
    return earlier === undefined ? resolveId(app, reference) : `archive/${earlier.archive}`;
  };
  return Promise.all(references.map(idOf));
}

/** What `--signed` needs. @throws OllmError USAGE, IO_FAILED */
async function signedOptions(app: App, { signed, allowedSigners }: Options): Promise<SealCheck | undefined> {
  if (!signed && allowedSigners === undefined) return undefined;
  const { readSeals } = await import('../../seals/seals-file.ts');
  const { sealsPath } = await import('../../app/sessions/change/seal-session.ts');
  const signers = allowedSigners === undefined ? undefined : await readSigners(app, allowedSigners);
  return { sealsOf: (id) => readSeals(app.fileSystem, sealsPath(app, id)), signers };
}

async function readSigners(app: App, file: string): Promise<readonly AllowedSigner[]> {
  const { parseAllowedSigners } = await import('../../seals/allowed-signers.ts');
  const { SEAL_NAMESPACE } = await import('../../seals/statement.ts');
  const signers = parseAllowedSigners(await readInputFile(app.cwd, file), SEAL_NAMESPACE);
  if (signers.length > 0) return signers;
  throw new OllmError('USAGE', `${file} allows no key to sign journals.`, {
    hint: 'A line of it is: NAME ssh-ed25519 AAAA… ("ollm seal" prints the key).',
  });
}

async function readInputFile(cwd: string, file: string): Promise<string> {
  const [{ readFile }, { resolve }] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const path = resolve(cwd, file);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new OllmError('IO_FAILED', `${path} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

async function verifyAll(shell: Shell, app: App, ids: readonly string[], options: Options): Promise<number> {
  const { output } = shell;
  const { all, deep } = options;
  const signed = await signedOptions(app, options);
  const { verifySessions } = await import('../../app/sessions/read/verify-sessions.ts');
  const takeTurns = turnTaker(shell.signal);
  let damagedSessions = 0;
  let events = 0;
  let done = 0;
  const draw = progressDrawer(output);
  const drawDone = () => draw({ done, total: ids.length, text: ids[done] ?? '' });
  drawDone();
  for await (const { report, findings } of verifySessions(app, ids, {
    deep,
    signed,
    maxFindings: MAX_FINDINGS,
    signal: shell.signal,
  })) {
    done += 1;
    drawDone();
    events += report.events;
    if (report.findings > 0) damagedSessions += 1;
    if (app.olderForms.has(report.id)) output.note(olderFormNote(report.id));
    if (report.olderSeals) output.note(olderSealsNote(report.id));
    const isWorthALine = report.findings > 0 || !all || !output.isTerminal;
    if (isWorthALine) output.progress('');
    if (output.json)
      await output.line(
        JSON.stringify({ ...report, ok: report.findings === 0, findings, findingsTotal: report.findings }),
      );
    else if (isWorthALine) await printReport(shell, report, findings);
    await takeTurns();
  }
  output.progress('');
  if (ids.length !== 1 && !output.json) {
    output.note(`${countOf(ids.length, 'session')}, ${countOf(events, 'event')}, ${damagedSessions} damaged.`);
  }
  return damagedSessions === 0 ? 0 : DAMAGE_EXIT;
}

function olderFormNote(id: string): string {
  return `${id} is of an older form, which has no checksums: it was only parsed. "ollm repl --resume ${id}" gives it a journal.`;
}

function olderSealsNote(id: string): string {
  return `${id} was encrypted by an earlier version: a change of its times, turns or ids would not be found. A fork is sealed whole: "ollm fork ${id}".`;
}

async function printReport({ output }: Shell, report: VerifyReport, findings: readonly VerifyFinding[]): Promise<void> {
  const { id, events, bytes } = report;
  const { colors } = output;
  if (report.findings === 0) {
    await output.line(`${shortId(id)}: ${colors.green('ok')}, ${countOf(events, 'event')}, ${formatBytes(bytes)}`);
    for (const line of signedLines(report.signed)) await output.line(`  ${line}`);
    return;
  }
  await output.line(
    `${shortId(id)}: ${colors.red(countOf(report.findings, 'finding'))}, ${countOf(events, 'event')}, ${formatBytes(bytes)}`,
  );
  for (const line of signedLines(report.signed)) await output.line(`  ${line}`);
  for (const finding of findings) await output.line(`  ${findingLine(finding)}`);
  if (report.findings > findings.length) await output.line(`  … ${report.findings - findings.length} more`);
  // A repair changes nothing about a seal, and keeps nothing of what cannot even be read.
  if (findings.every(({ type }) => type === 'unreadable' || type === 'seal')) return;
  output.note(`"ollm repair ${id} --dry-run" says what a repair would keep.`);
}

/** Which events stand under whose signature. */
function signedLines(signed: SealReport | undefined): string[] {
  if (signed === undefined) return [];
  const lines = signed.seals.flatMap(({ problem, statement, key = '', signer }) =>
    problem !== undefined || statement === undefined
      ? []
      : [
          `events 0–${statement.through}: sealed ${statement.sealed}, ${signer === undefined ? key : `${signer}, ${key}`}`,
        ],
  );
  const { through = -1, last = -1 } = signed;
  return through < last ? [...lines, `events ${through + 1}–${last}: under no seal`] : lines;
}

function findingLine(finding: VerifyFinding): string {
  switch (finding.type) {
    case 'seal':
      return finding.number === undefined ? finding.reason : `seal ${finding.number}: ${finding.reason}`;
    case 'damage':
      return damageLine(finding);
    case 'content':
      return `content at event ${finding.seq}, byte ${finding.offset}: ${finding.reason}`;
    case 'lost':
      return `lost: ${finding.reason}`;
    case 'unreadable':
      return `${finding.code}: ${finding.reason}`;
  }
}
