import { outputSlices } from '../../lib/retrieval/output-slices.ts';

const compiling = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `[${from + index}/9000] Compiling module_${from + index}.c`).join(
    '\n',
  );

describe('outputSlices', () => {
  it('finds the error in the middle of ten megabytes, with the lines around', () => {
    const filler = `${'note: checked a thing and it was in order\n'.repeat(120_000)}`;
    const text = `${filler}[4711/9000] Compiling gear.c\ngear.c:12:5: error: unknown type name 'cog_t'\n  12 | cog_t c;\n${filler}`;
    expect(text.length).toBeGreaterThan(10_000_000);
    const failed = outputSlices(text).filter(({ hasFailure }) => hasFailure);
    expect(failed).toHaveLength(1);
    expect(failed[0]?.text).toContain('Compiling gear.c');
    expect(failed[0]?.text).toContain('  12 | cog_t c;');
  });

  it.each([
    'Traceback (most recent call last):',
    "thread 'main' panicked at src/main.rs:4:5",
    '--- FAIL: TestLock (0.00s)',
    'npm ERR! code ELIFECYCLE',
    'error TS2304: Cannot find name',
    'Error: listen EADDRINUSE: address already in use',
    'not ok 7 - closes the file',
    'undefined reference to `frobnicate`',
    '✗ opens the door',
  ])('recognizes “%s” as a failure', (line) => {
    const text = `${compiling(0, 1_000)}\n${line}\n${compiling(1_000, 2_000)}`;
    expect(outputSlices(text).some(({ hasFailure, text: slice }) => hasFailure && slice.includes(line))).toBe(true);
  });

  it.each([
    '0 errors',
    'Tests: 12 passed, 0 failed',
    'compiled without errors',
    '[7/90] Compiling errors.ts',
    '--no-error-on',
    'ok 12 - fails when the file is not found',
    '  ✓ throws an error (3 ms)',
  ])('does not treat “%s” as a failure', (line) => {
    const text = `${compiling(0, 1_000)}\n${line}\n${compiling(1_000, 2_000)}`;
    expect(outputSlices(text).some(({ hasFailure }) => hasFailure)).toBe(false);
  });

  it('includes a repeated failure once, and a bounded number of failures', () => {
    const same = Array.from({ length: 5_000 }, (_, index) => `worker ${index}: error: out of cogs`).join('\n');
    expect(outputSlices(`${compiling(0, 900)}\n${same}\n${compiling(0, 900)}`)).toHaveLength(
      outputSlices(`${compiling(0, 900)}\nworker 1: error: out of cogs\n${compiling(0, 900)}`).length,
    );
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const many = Array.from({ length: 26 * 26 }, (_, index) => {
      const name = `${letters[Math.floor(index / 26)]}${letters[index % 26]}`;
      return `${name}.c: error: no ${name}\n${'fine\n'.repeat(20)}`;
    });
    expect(outputSlices(many.join('\n')).filter(({ hasFailure }) => hasFailure).length).toBeLessThanOrEqual(40);
  });

  it.each(['not ok 13 - closes the file', 'src/a.c:3:1: error: no cog', 'TypeError: cog is not a function'])(
    'finds “%s” after hundreds of passed tests, and lines that mention an error',
    (line) => {
      const letters = 'abcdefghijklmnopqrstuvwxyz';
      const names = [...letters].flatMap((one) => [...letters].map((other) => `${one}${other}`));
      const passed = names.map((name) => `ok 12 - ${name} fails where it is not found`);
      const mentioned = names.map((name) => `looked for an error in ${name}\n${'fine\n'.repeat(20)}`);
      const text = [compiling(0, 900), ...passed, ...mentioned, line, compiling(900, 1_800)].join('\n');
      const failed = outputSlices(text).filter(({ hasFailure }) => hasFailure);
      expect(failed.some((slice) => slice.text.includes(line))).toBe(true);
      expect(failed.length).toBeLessThanOrEqual(20);
    },
  );

  it('returns a short output whole', () => {
    expect(outputSlices('one\ntwo')).toEqual([{ text: 'one\ntwo', hasFailure: false }]);
  });
});
