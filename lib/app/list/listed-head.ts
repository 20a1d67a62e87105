// What a list says of a session of another program, from a look at the ends of its file.
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../foreign-ports.ts';

/** Of a prompt that is listed in place of a title. */
const TITLE_CHARACTERS = 200;

/** `title`: on one line, without secrets; else the first thing that the user said. @throws OllmError as `readHead` */
export async function listedHead(app: App, agent: Agent, source: Source): Promise<Head> {
  const head = readHead(agent, source, foreignPorts(app).files);
  const title = head.title ?? head.firstPrompt;
  if (title === undefined) return head;
  const redact = await app.redactor();
  return { ...head, title: redact(title.replace(/\s+/g, ' ').trim()).text.slice(0, TITLE_CHARACTERS) };
}
