// A conversation that a program of the SDK of another maker leads: each turn in a process of its own, the second of
// them killed once it has stored its turn.
import { goOffline, type Offline } from '../support/offline.ts';

const TURNS = [
  { prompt: 'When does line 7 leave', call: { name: 'times', args: { line: 7 } }, answer: 'At nine.' },
  { prompt: 'And line 8', call: { name: 'times', args: { line: 8 } }, answer: 'At nine too.' },
  { prompt: 'Thanks a lot', answer: 'You are welcome.' },
];

/** `program`: its text; it takes the prompt and `dies`, and prints the answer of the model server at the address. */
export async function talkOfFerries(program: (url: string) => string): Promise<Offline> {
  const offline = await goOffline(TURNS, (url) => ({ 'run.mjs': program(url) }));
  const run = (...args: string[]) =>
    offline.run([process.execPath, '--no-warnings', 'run.mjs', ...args], { cwd: offline.home, env: {} });
  expect(await run('When does line 7 leave?')).toContain('At nine.');
  // It was killed: it did not end by itself.
  await expect(run('And line 8?', 'dies')).rejects.toThrow('did not end');
  expect(await run('Thanks a lot')).toContain('You are welcome.');
  const asked = JSON.stringify(offline.requests().at(-1));
  for (const said of ['When does line 7 leave?', 'At nine.', 'And line 8?', 'At nine too.']) {
    expect(asked).toContain(said);
  }
  return offline;
}
