// Which test holds each criterion of the services and the sessions, and each promise of their pages. A test that is
// renamed or removed is missed here; so is a section of such a page without a promise that is tested.
import { existsSync, readFileSync } from 'node:fs';

type Held = readonly [file: string, title: string];
type Row = readonly [number: string, says: string, ...by: Held[]];

const RECORDING = 'library/chat-recording-service.test.ts';
const COMPRESSION = 'library/chat-compression-service.test.ts';
const LOOPS = 'library/loop-detection-service.test.ts';
const CONTEXT = 'library/context-manager.test.ts';
const DISCOVERY = 'library/file-discovery-service.test.ts';
const WALK = 'discovery/walk.test.ts';
const GIT = 'discovery/git.property.test.ts';
const WATCH = 'discovery/watch.test.ts';
const SANITIZE = 'environment/tool-environment.test.ts';
const REDACT = 'environment/redact.test.ts';
const PROPERTIES = 'app/properties.test.ts';
const SERVICES = 'config/services.test.ts';
const RECOVERY = 'library/recovery.test.ts';
const TOGETHER = 'library/together.test.ts';
const EDGES = 'library/edges.test.ts';
const COMPACT = 'turn/compaction/compact.test.ts';
const DUE = 'context/compaction/due.test.ts';
const SUMMARY = 'context/compaction/summary.test.ts';
const LOOP = 'projections/loop.test.ts';
const RUN_TURN = 'turn/run-turn.test.ts';

const property = (number: number, rest: string) => `Feature: services-sessions, Property ${number}: ${rest}`;
const ROUND_TRIP = property(1, 'a saved and loaded session is equal, with all data');
const FIELDS = property(2, 'the file of a session has every required field, also nested ones');
const DURABLE = property(7, 'everything recorded survives the death of the process or the machine');
const DELETED = property(6, 'a deleted session leaves no file, and is not in the list');
const KEPT = property(11, 'the system prompt and the recent messages stay unchanged');
const FEWER = property(12, 'compression reduces the tokens, or changes nothing');
const EQUAL_CALLS = property(14, 'consecutive equal calls are a loop at the threshold');
const OTHER_CALLS = property(14, 'calls that differ in name, arguments or result are not a loop, however many');
const EQUAL_OUTPUTS = property(15, 'consecutive equal outputs are a loop at the threshold');
const MANY_TURNS = property(16, 'more turns than the limit are a loop');
const ENDS_TURN = property(17, 'a detected loop is recorded with its details and ends the turn');
const ENTRY_GONE = property(18, 'an entry that was added and removed no longer exists');
const ENTRIES = property(19, 'all entries are returned with their content, also after a resume');
const ADDITIONS = property(20, 'the additions to the system prompt contain the content of every entry');
const PRIORITY = property(21, 'the additions are sorted by priority, equal ones by insertion');
const IGNORED = property(22, 'files that git or the built-in names leave out are not found, and all others are');
const OLLMIGNORE = property(22, 'an .ollmignore has the meaning of a .gitignore with the same rules');
const DEPTH = property(23, 'entries below maxDepth are not found, and all others are');
const CHANGES = property(24, 'each change is reported by its event and path, and only those of listed files');
const LIST_NOW = property(24, 'the first list and the reported changes give the last list');
const LISTS = property(25, 'isAllowed and isDenied agree with the lists for each name');
const DENIED = property(25, 'no variable stays that a deny pattern matches and the allow list does not');
const ALLOWED = property(26, 'every variable of the allow list stays, with its value');
const LOGGED = property(28, 'no line of the log and no stored event has a secret of the environment');
const SHAPES = property(28, 'no secret of a known shape is left in a text, at any place');
const DEFAULTS = 'have the defaults of the requirements';
const TAKES = 'take %s: %s';

const CRITERIA: readonly Row[] = [
  ['1.1', 'a message of the user is stored', [RECORDING, DURABLE]],
  ['1.2', 'an answer is stored', [RECORDING, DURABLE]],
  ['1.3', 'a tool call and its result are stored', [RECORDING, DURABLE], [RECORDING, ROUND_TRIP]],
  ['1.4', 'the list has all sessions', [RECORDING, property(5, 'the list has every session, with right counts')]],
  ['1.5', 'a resumed session is whole', [RECORDING, ROUND_TRIP]],
  [
    '1.6',
    'a deleted session has no file',
    [RECORDING, DELETED],
    [PROPERTIES, 'Property 6: Session deletion removes file'],
  ],
  [
    '1.7',
    'a session is one JSON document under its id',
    [RECORDING, FIELDS],
    [PROPERTIES, 'Property 7: Session auto-save durability'],
  ],
  ['1.8', 'the document has its metadata', [RECORDING, FIELDS]],
  ['2.1', 'the document has its members', [RECORDING, FIELDS]],
  ['2.2', 'a message has role, parts and time', [RECORDING, FIELDS]],
  ['2.3', 'a tool call has id, name, arguments, result and time', [RECORDING, FIELDS]],
  ['2.4', 'times are of ISO 8601', [RECORDING, property(3, 'every timestamp is of ISO 8601, for any input')]],
  ['2.5', 'ids are UUIDs', [RECORDING, property(4, 'the id of a new session is a unique UUID')]],
  [
    '3.1',
    'above the threshold it is compressed',
    [COMPACT, 'summarizes the older messages first, reports it, and asks with the summary in their place'],
    [DUE, 'a compaction is due above the threshold or the reserve, by the reported or the counted tokens'],
  ],
  ['3.2', 'the system prompt stays', [COMPRESSION, KEPT]],
  ['3.3', 'recent messages stay', [COMPRESSION, KEPT]],
  [
    '3.4',
    'a summary replaces older messages, where they do not fit',
    [COMPRESSION, 'puts one summary after the system prompt, and names the strategy used'],
    [COMPRESSION, 'a conversation that fits the target stays unchanged, and one that does not gets shorter'],
    [COMPRESSION, 'a summary has the time of the newest message that it replaces'],
  ],
  [
    '3.5',
    'there are three strategies',
    [COMPRESSION, 'summarizes, truncates and does both when called directly'],
    [EDGES, 'of compress is replaced: an unknown strategy runs as hybrid, is reported, and is logged'],
  ],
  ['3.6', 'hybrid summarizes old messages and keeps recent ones', [COMPRESSION, KEPT], [COMPRESSION, FEWER]],
  [
    '3.7',
    'a method says whether it is needed',
    [COMPRESSION, property(10, 'compression is needed if the tokens exceed the share of the limit')],
  ],
  [
    '3.8',
    'the count of compressions rises',
    [COMPRESSION, property(13, 'each compression of a session counts one, and the messages stay in its record')],
  ],
  ['4.1', 'equal calls are a loop', [LOOPS, EQUAL_CALLS]],
  ['4.2', 'equal outputs are a loop', [LOOPS, EQUAL_OUTPUTS]],
  ['4.3', 'too many turns are a loop', [LOOPS, MANY_TURNS]],
  [
    '4.4',
    'name and arguments of calls are compared',
    [LOOPS, OTHER_CALLS],
    [LOOP, 'calls are equal only if they ended in the same way'],
  ],
  [
    '4.5',
    'outputs are compared',
    [LOOPS, property(15, 'outputs without two equal ones in a row are not a loop, however many')],
    [LOOP, 'two answers are equal from the share of their runs that docs/loop-detection.md names'],
  ],
  ['4.6', 'the limits are 50 and 3 unless set', [SERVICES, DEFAULTS], [LOOPS, MANY_TURNS], [LOOPS, EQUAL_CALLS]],
  ['4.7', 'a loop stops the turn', [LOOPS, ENDS_TURN], [RUN_TURN, 'is stopped when it repeats a call']],
  [
    '4.8',
    'the user is told of the pattern',
    [LOOPS, ENDS_TURN],
    [TOGETHER, 'stop a model that repeats a call, say why, and continue when the user says so'],
  ],
  ['5.1', 'an entry is added by key and content', [CONTEXT, ENTRIES]],
  ['5.2', 'an entry is removed by key', [CONTEXT, ENTRY_GONE]],
  ['5.3', 'the entries can be read', [CONTEXT, ENTRIES]],
  ['5.4', 'the additions to the prompt are made', [CONTEXT, ADDITIONS]],
  ['5.5', 'entries come in order of priority', [CONTEXT, PRIORITY]],
  [
    '5.6',
    'hooks, extensions and users contribute, and only the user instructs',
    [CONTEXT, 'lets contributions of a program only inform, and only the user instruct'],
    ['context/new-entry.test.ts', 'an entry $name'],
  ],
  [
    '5.7',
    'every turn has all entries',
    [TOGETHER, 'send the entries of the user, a hook and the project, sorted by importance, until they are removed'],
    ['context/placed.property.test.ts', 'has last the valid text of each entry, %s, and in any window'],
  ],
  ['5.8', 'priorities can be set', [CONTEXT, PRIORITY]],
  [
    '6.1',
    'a directory is walked asynchronously',
    [DISCOVERY, 'discover and discoverAll find the same entries'],
    [WALK, 'the program continues during a walk, even if the reader of the names keeps it busy'],
  ],
  ['6.2', '.ollmignore is respected', [GIT, OLLMIGNORE]],
  ['6.3', '.gitignore is respected', [GIT, IGNORED]],
  [
    '6.4',
    'built-in names are left out',
    [GIT, IGNORED],
    [WALK, 'leaves out the built-in names at every level, as directories only'],
  ],
  ['6.5', 'the depth can be limited', [WALK, DEPTH]],
  [
    '6.6',
    'results are remembered',
    ['discovery/directory-memory.test.ts', 'reads only the directories in which an entry was added or removed'],
    [
      'discovery/directory-memory.test.ts',
      'gives the same answers after any creations, moves, removals and writes between two walks',
    ],
  ],
  ['6.7', 'changes can be watched', [WATCH, CHANGES]],
  [
    '6.8',
    'callbacks are given each change',
    [WATCH, CHANGES],
    [WATCH, 'a file in place of a directory, and the reverse, is reported as both, once'],
  ],
  ['7.1', 'there is an allow list', [SANITIZE, LISTS]],
  ['7.2', 'there are deny patterns', [SANITIZE, LISTS]],
  ['7.3', 'core variables are allowed', [SANITIZE, '%s stays']],
  ['7.4', 'names of credentials are denied', [SANITIZE, '%j is removed']],
  ['7.5', 'what is denied is removed', [SANITIZE, DENIED]],
  ['7.6', 'what is allowed stays', [SANITIZE, ALLOWED]],
  [
    '7.7',
    'rules can be added',
    [SANITIZE, 'added patterns extend the defaults'],
    [SERVICES, 'let through and remove the same variables, whether the lists are written out or not'],
  ],
  [
    '7.8',
    'each tool gets the cleaned environment',
    [TOGETHER, 'give a command the core variables, and none that is secret by name or by value'],
  ],
  ['8.1', 'the directory of sessions can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.2', 'the number of sessions can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.3', 'the threshold can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.4', 'the strategy can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.5', 'the preserved tokens can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.6', 'maxTurns can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.7', 'repeatThreshold can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  ['8.8', 'the patterns of the environment can be set', [SERVICES, DEFAULTS], [SERVICES, TAKES]],
  [
    '8.9',
    'settings come from YAML',
    ['config/load.test.ts', 'are ordered from default over user, project and environment to flag, setting by setting'],
  ],
  ['9.1', 'a conversation has a session of its own id', [PROPERTIES, 'Property 4: Session ID uniqueness and format']],
  [
    '9.2',
    'leaving saves',
    ['app/sessions/open/leave-session.test.ts', 'keeps it if %s'],
    ['session/open.test.ts', 'is at the last line when the session is closed'],
  ],
  [
    '9.3',
    'a crash loses nothing that was stored',
    [
      'app/crash.test.ts',
      'kill -9 in the middle of an answer loses nothing that was stored, and the session continues',
    ],
    [RECORDING, DURABLE],
  ],
  [
    '9.4',
    'the oldest sessions go when there are too many',
    [RECORDING, property(8, 'the oldest sessions are removed down to the limit')],
    [PROPERTIES, 'Property 8: Session count limit enforcement'],
    ['session/retention.test.ts', 'keeps the allowed number of sessions with a message, whichever others are removed'],
  ],
  [
    '9.5',
    'the last activity moves on',
    [RECORDING, property(9, 'the time of the last activity never steps back, with any clock')],
  ],
  ['9.6', 'each turn saves', [PROPERTIES, 'Property 7: Session auto-save durability']],
  [
    '10.1',
    'a full disk stops nothing',
    [RECOVERY, 'continues when a %s fails, logs it, and stores it with the next recording, once and in order'],
    [RECOVERY, 'keeps the order of recordings, however many fail at the same time and how often'],
  ],
  [
    '10.2',
    'an unreadable session is an error, others go on',
    [RECOVERY, 'does not list a journal that %s, logs a warning, and refuses its id'],
    [RECOVERY, 'reports an unreadable session as such, lists the others, and creates new ones'],
  ],
  [
    '10.3',
    'a failed compression changes nothing',
    [RECOVERY, 'continues without compression if nothing helps'],
    [RECOVERY, 'truncates if the model is not available, and logs that'],
    [COMPRESSION, 'a summary that is at least as long as the messages it replaces is not used'],
  ],
  [
    '10.4',
    'a directory without permission is skipped',
    [RECOVERY, 'skips directories that it may not enter, and counts them'],
  ],
  [
    '10.5',
    'a broken pattern gives the core variables',
    [RECOVERY, 'lets only core variables through if a deny pattern is invalid'],
  ],
  [
    '10.6',
    'failures are said clearly',
    [RUN_TURN, 'is reported in readable words, and without the secrets that were in them'],
    [EDGES, 'of recordMessage is refused: %s'],
  ],
  [
    '10.7',
    'errors and logs hold no secrets',
    [EDGES, 'has no secret in it, also in an error, its cause and its hint'],
    ['cli/whole/secrets.test.ts', LOGGED],
    ['environment/secret-misses.test.ts', 'of 10,000 random keys, nearly all are redacted:'],
  ],
];

type Promised = readonly [page: string, sentence: string, ...by: Held[]];

const PROMISES: readonly Promised[] = [
  [
    'library.md',
    'All of it or nothing is in the file when it resolves.',
    ['library/agent-session.test.ts', 'is stored whole or not at all'],
    [
      'library/readme-program.test.ts',
      'the program of the README survives kill -9: the next run has each appended message, and reports no fault',
    ],
  ],
  [
    'library.md',
    "the tests compare each with the body that the vendor's own package makes of the same conversation",
    ['providers/forms/as-providers-send.test.ts', '%s is the body that is sent over the wire %s'],
  ],
  [
    'library.md',
    '**Reasoning is sent back only to the vendor that made it**',
    [
      'library/agent-session.test.ts',
      'of one vendor reaches a different one without the reasoning that only the first can read',
    ],
  ],
  ['library.md', 'What `append` has acknowledged at the level `disk` survives a power cut.', [RECORDING, DURABLE]],
  [
    'library.md',
    'Invalid arguments give a default with a warning, or an `OllmError`.',
    [EDGES, 'is not a configuration of the loop detection with only some members, which is used'],
    [EDGES, 'of recordToolCall is refused: %s'],
  ],
  [
    'library.md',
    'Its log entries have no secrets in them and no text of more than 2,000 characters',
    [EDGES, 'has no secret in it, also in an error, its cause and its hint'],
    [EDGES, 'has shortened texts'],
  ],
  [
    'library.md',
    '`getSession` and `listSessions` show it, and it is stored with the next one.',
    [EDGES, 'recordings that the disk has not taken yet are in getSession and listSessions'],
  ],
  [
    'library.md',
    '`saveSession` and `close` reject as long as something waits.',
    [RECOVERY, 'reports on saving and closing the waiting recordings, and stores them when the disk takes them again'],
  ],
  [
    'library.md',
    'call `reset` when the user sends a message',
    [LOOPS, 'acts like a new one after a reset, with any earlier records'],
  ],
  [
    'library.md',
    'every other source only informs, and is delimited as data',
    ['context/new-entry.test.ts', 'an entry $name'],
  ],
  [
    'library.md',
    '**Discovery** reports changes only after `await watch.ready`.',
    [EDGES, 'changes are reported once a watch is ready'],
  ],
  [
    'library.md',
    'text from outside is delimited, and secrets are redacted',
    ['library/agent-session.test.ts', 'from elsewhere is between delimiters, and one of the user is not'],
    ['library/agent-session.test.ts', 'has no secrets on the disk and in requests, unless the program wants them'],
  ],
  [
    'library.md',
    '[whole-program.ts](examples/whole-program.ts) waits for the end.',
    ['library/examples.test.ts', 'every example is run here, except the store in a database'],
  ],
  ['discovery.md', 'Everything that `git ls-files -co --exclude-standard` lists is a candidate', [GIT, IGNORED]],
  [
    'discovery.md',
    'It is written like a `.gitignore`, and may bring back what the others leave out',
    [WALK, 'an .ollmignore outranks .gitignore and the built-in names, but never opens .git'],
  ],
  [
    'discovery.md',
    'nor does a rule of more than 4,096 characters',
    [WALK, 'a rule that is longer than any path does not count, and the others do'],
  ],
  [
    'discovery.md',
    'Refused are links that lead out of the root or into a `.git`',
    ['discovery/links.test.ts', 'a link out of the root or into .git is refused and counted'],
  ],
  [
    'discovery.md',
    '**Unreadable files and directories** are skipped.',
    [WALK, 'a directory without permission is skipped and counted'],
  ],
  ['discovery.md', 'So the previous list and the changes give the present list.', [WATCH, LIST_NOW]],
  [
    'discovery.md',
    'reads only the directories in which an entry was added or removed',
    ['discovery/directory-memory.test.ts', 'reads only the directories in which an entry was added or removed'],
  ],
  [
    'compaction.md',
    'the part not reserved for the answer (`services.budget.reserveForOutput`)',
    [DUE, 'a compaction is due above the threshold or the reserve, by the reported or the counted tokens'],
  ],
  [
    'compaction.md',
    'the conversation must grow by a tenth of the window before the next one',
    [COMPACT, 'does not compact again until the conversation has grown'],
  ],
  [
    'compaction.md',
    'ollm compares its count with the reported one',
    ['projections/budget.test.ts', 'correct later counts, only for their model'],
  ],
  [
    'compaction.md',
    'A call and its result stay together or are removed together.',
    ['context/compaction/plan.property.test.ts', 'a compaction covers exactly the planned items'],
  ],
  [
    'compaction.md',
    'its beginning and its end are carried over, with a marker',
    [COMPACT, 'cuts a message that is too large for the recent part, and marks the gap'],
  ],
  [
    'compaction.md',
    'a section that the model left out is filled in by extraction',
    [SUMMARY, 'gets the sections that the model forgot, by extraction'],
  ],
  ['compaction.md', 'Each summary includes the one before it.', [SUMMARY, 'includes the previous summary']],
  [
    'compaction.md',
    'After three failures in a row only `truncate` runs automatically',
    [DUE, 'after the number of failures in docs/compaction.md only truncate runs automatically'],
    [COMPACT, 'truncates automatically after three failures in a row, without asking the model again'],
  ],
  ['compaction.md', 'Ctrl+C stops a summary; nothing is stored then.', [COMPACT, 'stores nothing when it is stopped']],
  [
    'compaction.md',
    'which finds earlier messages and outputs by words or reads them by place',
    ['tools/builtin/history-read.test.ts', 'history_read searches for words, and each hit has its place'],
  ],
  [
    'compaction.md',
    'The usage of a summary is a `usage.reported` with `purpose: "summary"`.',
    [COMPACT, 'records the usage of the summary, which does not count as contents of the window'],
    [
      'projections/budget.test.ts',
      'only the report on an answer sets the contents of the window, and each report is spent',
    ],
  ],
  [
    'loop-detection.md',
    'and start again with the next',
    [LOOP, 'starts over with each message of the user'],
    [LOOP, 'after %s is as in the table'],
  ],
  [
    'loop-detection.md',
    'of which 85 % must be shared',
    [LOOP, 'two answers are equal from the share of their runs that docs/loop-detection.md names'],
  ],
  [
    'loop-detection.md',
    'it takes twice the threshold, so six rounds',
    [LOOP, 'are equal for one call that returns quickly'],
  ],
  [
    'loop-detection.md',
    'A cycle of calls with a wait in it is a loop after four times the threshold',
    [LOOP, 'is a cycle after four times the threshold if it comes with a checking call'],
  ],
  [
    'loop-detection.md',
    'A turn of 50 requests (`maxTurns`) is usually long work and not a loop.',
    [RUN_TURN, 'continues as long as the user agrees, asked every 50 requests'],
    [RUN_TURN, 'continues if the caller set no limit'],
  ],
  [
    'loop-detection.md',
    '`/loop off` switches it off until you leave',
    ['repl/commands-in-use.test.ts', 'switch the loop guard, and record the switch'],
  ],
  [
    'loop-detection.md',
    'says where it would have fired, by which rule',
    ['cli/commands/loop.test.ts', 'shows where the guard would have fired and by which rule, and compares thresholds'],
  ],
  [
    'loop-detection.md',
    'is found in every one',
    ['real/loop-detection.test.ts', 'the guard finds a planted loop at any place'],
  ],
  [
    'secrets.md',
    'Values of removed variables are never printed.',
    [SANITIZE, 'explain names the rule that decided and never a value'],
  ],
  [
    'secrets.md',
    'A rule that cannot be understood never lets more through',
    [SANITIZE, 'the deny pattern %s is invalid: only core variables pass, with a warning'],
  ],
  [
    'secrets.md',
    'The kind and the length stay in their place',
    [REDACT, '%s: the place keeps kind and length'],
    [REDACT, SHAPES],
  ],
  [
    'secrets.md',
    'It applies to the log, to messages of errors on standard error',
    ['cli/whole/secrets.test.ts', LOGGED],
    ['cli/whole/secrets.test.ts', 'were never printed on standard error'],
  ],
  [
    'secrets.md',
    '`services.redaction.enabled: false` turns all of that off, with a warning',
    ['cli/whole/secrets.test.ts', 'stores texts unredacted, says so each time, and still redacts if asked to'],
  ],
];

/** How many criteria each of the ten requirements has. */
const COUNTS = [8, 5, 8, 8, 8, 8, 8, 9, 6, 7];

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const onOneLine = (text: string) => text.replace(/\s+/g, ' ');

/** The entries that are not the title of a test. */
function missing(held: readonly Held[]): readonly Held[] {
  return held.filter(([file, title]) => {
    const path = `__tests__/${file}`;
    return !existsSync(new URL(`../../${path}`, import.meta.url)) || !hasTest(textOf(path), title);
  });
}

function hasTest(source: string, title: string): boolean {
  const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // Everything between the name of the function and the title, such as a table, ends with an opening bracket.
  const call = new RegExp(`(\\.(?:skip|todo))?\\(\\s*(['"\`])${quoted}\\2`);
  const found = call.exec(source);
  return found !== null && found[1] === undefined;
}

it('a title is found in the file of its test, and nowhere else', () => {
  expect(hasTest("it('does so', () => {});", 'does so')).toBe(true);
  expect(hasTest("it.each([\n  1,\n])(\n  'does %s', () => {});", 'does %s')).toBe(true);
  expect(hasTest('// does so\nit("does something", f);', 'does so')).toBe(false);
  expect(hasTest("it.skip('does so', () => {});", 'does so')).toBe(false);
});

it('each criterion of the requirements is listed once', () => {
  const numbers = COUNTS.flatMap((count, index) => Array.from({ length: count }, (_, at) => `${index + 1}.${at + 1}`));
  expect(CRITERIA.map(([number]) => number)).toEqual(numbers);
});

it.each(CRITERIA)('criterion %s is held by a test: %s', (...[, , ...by]) => {
  expect(by.length).toBeGreaterThan(0);
  expect(missing(by as readonly Held[])).toEqual([]);
});

it.each(PROMISES)('%s promises a tested fact: %s', (...[page, sentence, ...by]) => {
  expect(onOneLine(textOf(`docs/${page}`))).toContain(sentence);
  expect(by.length).toBeGreaterThan(0);
  expect(missing(by as readonly Held[])).toEqual([]);
});

it.each([...new Set(PROMISES.map(([page]) => page))])('each section of %s has a promise that is tested', (page) => {
  const text = textOf(`docs/${page}`).replace(/^```[\s\S]*?^```$/gm, '');
  const sections = text.split(/^## /m).slice(1);
  const without = sections.filter(
    (section) => !PROMISES.some(([of, said]) => of === page && onOneLine(section).includes(said)),
  );
  expect(without.map((section) => section.split('\n')[0])).toEqual([]);
});
