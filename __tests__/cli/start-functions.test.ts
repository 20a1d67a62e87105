import { runInThisContext } from 'node:vm';
import { type Range, withFunctionsFirst } from '../../.ci/start-functions.ts';

/** What V8 would say of a function that ran. */
function rangeOf(text: string, head: string): Range {
  const start = text.indexOf(head);
  const end = text.indexOf('\n}\n', start) + 2;
  return { start, end };
}

const TEXT = `// lib/a.ts
const first = twice(3);
function twice(number) {
  return number * two();
}

// lib/b.ts
var { length } = twice.name;
async function later() {
  const text = \`
}
\`;
  return text;
}
function two() {
  function inner() {
    return 2;
  }
  return inner();
}
[first, length, typeof later, two.name, typeof unused]
function unused() {
}
`;

describe('functions that every start runs', () => {
  it('stand before all else, in parentheses, and under the name of their module', () => {
    const ran = ['function two()', 'function twice('].map((head) => rangeOf(TEXT, head));
    const lines = withFunctionsFirst(TEXT, ran).split('\n');
    expect(lines.filter((line) => line.startsWith('//') || line.startsWith('var '))).toEqual([
      '// lib/a.ts',
      'var twice = (function twice(number) {',
      '// lib/b.ts',
      'var two = (function two() {',
      '// lib/a.ts',
      '// lib/b.ts',
      'var { length } = twice.name;',
    ]);
    expect(lines.filter((line) => line === '});')).toHaveLength(2);
  });

  it('mean what they meant: those that are used before they are declared, those that ran and those that did not', () => {
    const later = TEXT.indexOf('async function later');
    const ran = [
      rangeOf(TEXT, 'function twice('),
      rangeOf(TEXT, 'function two()'),
      { start: later, end: TEXT.indexOf('function two()') - 1 },
    ];
    const rewritten = withFunctionsFirst(TEXT, ran);
    expect(rewritten).toContain('var later = (async function later() {');
    const run = (text: string) =>
      runInThisContext(`(() => { ${text.replace('[first', 'return [first')} })()`) as unknown[];
    expect(run(rewritten)).toEqual([6, 5, 'function', 'two', 'function']);
    expect(run(rewritten)).toEqual(run(TEXT));
  });

  it('are left where they are if they are not declared at the top level', () => {
    const inner = TEXT.indexOf('function inner');
    expect(withFunctionsFirst(TEXT, [{ start: inner, end: TEXT.indexOf('  return inner()') - 1 }])).toBe(TEXT);
    expect(withFunctionsFirst(TEXT, [{ start: 0, end: TEXT.length }])).toBe(TEXT);
    expect(withFunctionsFirst(TEXT, [])).toBe(TEXT);
  });
});
