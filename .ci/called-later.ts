// Sets apart, in a part of the program, the functions that no brief command calls; decision 0056 says why
// (docs/decisions/0056-called-functions-stay-compiled.md). V8 makes something of each function of a script when it
// loads it, and nothing of those that are inside another function until that one is called. So these functions come
// last in the part, and the program has them inside one function; a call of one of them makes that function run first.
import { Script } from 'node:vm';

interface Statement {
  readonly module: string;
  readonly text: string;
  readonly name: string | undefined;
  readonly kind: 'function' | 'value' | 'other';
  /** Whether loading it runs nothing that it names: a function, or a class without static members. */
  readonly isDeferred: boolean;
  readonly names: ReadonlySet<string>;
}

interface Apart {
  /** All statements, those that are needed at once first. */
  readonly body: string;
  /** Where the others begin. */
  readonly middle: number;
  /** Functions among the others that are named elsewhere. */
  readonly doors: readonly string[];
}

const MODULE = /^\/\/ (?:[\w-]+:|[\w-]+\/)\S+$/;
const BEGIN = /^(?:(?:async )?function\*? ([\w$]+)\(|(?:var|let|const|class) ([\w$]+)\b(?! ?,)|var [{[])/;
/** May begin another statement, such as a call, or be a line of a template. */
const MAY_BEGIN = /^[\w$([+-]/;

const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * @param members names that other parts import
 * @param isLater whether functions of this module are called by few commands
 */
export function setApart(body: string, members: readonly string[], isLater: (module: string) => boolean): Apart {
  const statements = statementsOf(body);
  const atOnce = neededAtOnce(statements, members, isLater);
  const joined = (some: readonly Statement[]) =>
    some.map(({ module, text }, at) => (some[at - 1]?.module === module ? text : `\n// ${module}\n${text}`)).join('');
  const first = statements.filter((each) => atOnce.has(each));
  const later = statements.filter((each) => !atOnce.has(each));
  const named = new Set([...members, ...first.flatMap(({ names }) => [...names])]);
  const begin = joined(first);
  return {
    body: begin + joined(later),
    middle: begin.length,
    doors: later.flatMap(({ name }) => (name !== undefined && named.has(name) ? [name] : [])),
  };
}

/** The text before the others: functions of the same names, which make all of them when one is called first. */
export function doorsTo(doors: readonly string[]): string {
  const each = doors.map((name, at) => `function ${name}(...values) { return (0, __later()[${at}])(...values); } `);
  return `${each.join('')}var __made; function __later() { return __made ??= __make(); } function __make() {`;
}

function statementsOf(body: string): readonly Statement[] {
  const statements: Statement[] = [];
  let module = '';
  let lines: string[] = [];
  const end = () => {
    const text = lines.join('');
    lines = [];
    if (text.trim() === '') return;
    const [, asFunction, asValue] = BEGIN.exec(text) ?? [];
    const name = asFunction ?? asValue;
    // A line in a template may look like the beginning of a statement.
    if (!isWhole(text)) throw new Error(`These lines of ${module} are no statement:\n${text}`);
    statements.push({
      module,
      text,
      name,
      kind: asFunction !== undefined ? 'function' : asValue !== undefined ? 'value' : 'other',
      isDeferred:
        asFunction !== undefined ||
        /^[^\n]*? = (?:class\b(?![\s\S]*\bstatic\b)|(?:async )?(?:\([^()]*\)|\w+) => \{)/.test(text),
      names: namesIn(text),
    });
  };
  for (const line of body.split(/(?<=\n)/)) {
    const isModule = MODULE.test(line.trimEnd());
    if (isModule || BEGIN.test(line) || (MAY_BEGIN.test(line) && isWhole(lines.join('')))) end();
    if (isModule) module = line.slice('// '.length).trimEnd();
    else lines.push(line);
  }
  end();
  return statements;
}

function isWhole(text: string): boolean {
  try {
    new Script(`async () => {\n${text}\n}`);
    return true;
  } catch {
    return false;
  }
}

/**
 * All words that may be the name of a declaration: not those of properties and of methods, and no words in quotation
 * marks where it is certain that they are marks. Other words are among them: a declaration of such a name is needed at
 * once.
 */
function namesIn(text: string): ReadonlySet<string> {
  const plain = text.includes('`') ? text : text.replace(/^[^/'\n]+$/gm, (line) => line.replace(STRING, '""'));
  const code = plain
    .replace(/(?<=[[(,:=] ?|\n *)"[\w.-]+"(?=[\],);:\n])/g, '""')
    .replace(/(?<!\bcase )(?<=[{,\s])[\w$]+(?=: )/g, '')
    .replace(/^( +(?:(?:async|get|set) |\*)*)(?!if\b|for\b|while\b|switch\b|catch\b)[\w$]+(?=\(.*\) \{$)/gm, '$1');
  return new Set(code.match(/(?<=\.{3}|[^.\w$]|^)[\w$]+/g));
}

function neededAtOnce(
  statements: readonly Statement[],
  members: readonly string[],
  isLater: (module: string) => boolean,
): ReadonlySet<Statement> {
  const byName = new Map(statements.map((each) => [each.name, each]));
  const needed = new Set<Statement>();
  /** Statements that run while the part is loaded, before the functions that are set apart can be made. */
  const running = new Set<Statement>();
  const need = (statement: Statement, isRunning: boolean): void => {
    const runs = isRunning || !statement.isDeferred;
    if (needed.has(statement) && (!runs || running.has(statement))) return;
    needed.add(statement);
    if (runs) running.add(statement);
    for (const name of statement.names) {
      const other = byName.get(name);
      if (other !== undefined && other !== statement && (runs || other.kind !== 'function')) need(other, runs);
    }
  };
  for (const each of statements)
    if (!isLater(each.module) || each.kind === 'other' || (each.kind === 'value' && members.includes(each.name!)))
      need(each, false);
  return needed;
}
