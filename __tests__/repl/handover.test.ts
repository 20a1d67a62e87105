// `/handover AGENT`: the conversation as it is now becomes a session of another program.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPipedRepl } from './piped-repl.ts';

it('/handover writes the conversation for a different program, and shows the command that continues it', async () => {
  using repl = await openPipedRepl();
  mkdirSync(join(repl.home, '.codex'));
  repl.enter('Where is the harbour?', '/handover codex --dry-run', '/handover codex', '/handover codex');
  repl.enter('/handover elsewhere', '/handover pi', '/handover codex --sure');
  repl.end();
  await repl.exitCode;
  const { output, errors } = repl.shown;
  const [, id] = /Continue with: cd \S+ && codex resume (\S+)/.exec(output) ?? [];
  expect(output).toMatch(/Would write codex:\S+: \d texts, 0 calls/);
  expect(output).toMatch(/Wrote codex:\S+: \d texts, 0 calls/);
  expect(output).toContain('Read back: equal.');
  expect(output).toContain(`Already handed over: codex:${id}`);
  expect(errors).toContain('To which program?');
  expect(errors).toContain('There is no option --sure.');
  expect(errors).toContain('/.pi/agent is not there: nothing was written.');
  const folder = join(repl.home, '.codex/sessions');
  const [file, ...others] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  expect(others).toEqual([]);
  expect(file).toContain(id);
  expect(readFileSync(join(folder, file!), 'utf8')).toContain('Where is the harbour?');
});

it('/handover refuses a conversation that is not stored, and says how to store it', async () => {
  using repl = await openPipedRepl({ open: { kind: 'new', provider: 'offline', ephemeral: true } });
  mkdirSync(join(repl.home, '.codex'));
  repl.enter('Where is the harbour?', '/handover codex');
  repl.end();
  await repl.exitCode;
  expect(repl.shown.errors).toContain('An ephemeral session cannot be handed over.');
  expect(repl.shown.errors).toContain('/save');
  expect(readdirSync(join(repl.home, '.codex'))).toEqual([]);
});
