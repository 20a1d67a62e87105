import { readFileSync } from 'node:fs';
import ndjson from 'ndjson';
import { plainLines } from '../lab/plain-reader.ts';
import { createHome, type Home } from '../support/cli.ts';
import { isPresent, TRANSCRIPTS, type Transcript, transcriptEvents } from '../support/transcripts.ts';

const names = Object.keys(TRANSCRIPTS) as Transcript[];
const present = names.filter(isPresent);
if (present.length < names.length) {
  console.log(
    `skipped: the real transcripts ${names.filter((name) => !isPresent(name)).join(', ')} are not on this machine`,
  );
}

(present.length > 0 ? describe : describe.skip)('a real conversation of a foreign agent', () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home[Symbol.dispose]());

  describe.each(present.length > 0 ? present : names)('%s', (name) => {
    const events = isPresent(name) ? transcriptEvents(name) : [];

    it('is appended to a journal by `ollm append`, line by line', async () => {
      const receipts = await home.append(name, events);
      expect(receipts.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    });

    it('has the same messages there', () => {
      const stored = plainLines(readFileSync(home.journal(name))).filter(({ seq }) => seq >= 1 && seq <= events.length);
      expect(stored.map(({ type, data }) => ({ type, data }))).toEqual(
        events.map(({ type, data }) => ({ type, data })),
      );
    });

    it('is read by ndjson too', async () => {
      const parser = ndjson.parse();
      const seqs: number[] = [];
      parser.on('data', ({ seq }: { seq: number }) => seqs.push(seq));
      parser.end(readFileSync(home.journal(name)));
      await new Promise((resolve) => parser.on('end', resolve));
      expect(seqs).toEqual(seqs.map((_, index) => index));
      expect(seqs.length).toBeGreaterThan(events.length);
    });

    it('verifies without a finding, also event by event', async () => {
      const { exitCode, stdout } = await home.run(['verify', name, '--deep', '--json']);
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    });

    it('replays to the same messages and tool calls', async () => {
      const { stdout } = await home.run(['replay', name, '--state', 'session']);
      const session = JSON.parse(stdout);
      const said = events.filter(({ type }) => type === 'message.added');
      const asked = events.filter(({ type }) => type === 'tool.requested');
      const answered = events.filter(({ type }) => type === 'tool.finished');
      expect(session.messages.map(({ parts }: { parts: unknown }) => parts)).toEqual(
        said.map(({ data }) => data.parts),
      );
      expect(session.toolCalls.map(({ id }: { id: string }) => id)).toEqual(asked.map(({ data }) => data.callId));
      const results = new Map(answered.map(({ data }) => [data.callId, data.result]));
      for (const { id, result } of session.toolCalls) expect(result).toEqual(results.get(id));
    });

    it('is exported as Markdown and as a page with every message of the user', async () => {
      const markdown = (await home.run(['export', name, '--format', 'md'])).stdout;
      const page = (await home.run(['export', name, '--format', 'html'])).stdout;
      const inputs = events.filter(({ type }) => type === 'turn.started').map(({ data }) => String(data.input));
      for (const input of inputs) {
        const words = input.match(/[A-Za-z]{6,}/g)?.slice(0, 5) ?? [];
        for (const word of words) {
          expect(markdown).toContain(word);
          expect(page).toContain(word);
        }
      }
      expect(page).not.toMatch(/<script/i);
    });

    it('is listed with its turns', async () => {
      const { stdout } = await home.run(['show', name, '--json']);
      const turns = events.filter(({ type }) => type === 'turn.started').length;
      expect(JSON.parse(stdout)).toMatchObject({ id: name, summary: { turnCount: turns } });
    });
  });
});
