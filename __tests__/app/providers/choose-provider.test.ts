// Which provider answers where none is named: each kind of server at the address of Ollama, with a real socket.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import type { App } from '../../../lib/app/app.ts';
import { createApp } from '../../../lib/app/compose.ts';
import type { Conversation } from '../../../lib/app/conversation.ts';
import { chooseProvider } from '../../../lib/app/providers/choose-provider.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../../lib/lead/ask.ts';
import { startToolModel } from '../../repl/tool-model.ts';
import { createHome } from '../../support/cli.ts';
import { type Answer, deadUrl, startFaultServer } from '../../support/fault-server.ts';
import { createTree, type Tree } from '../../support/tree.ts';

async function appAt(tree: Tree, url: string): Promise<App> {
  tree.write({ 'home/.ollm/config.yaml': '{}', 'project/': '' });
  chmodSync(join(tree.root, 'home/.ollm'), 0o700);
  const env = { HOME: join(tree.root, 'home'), OLLAMA_HOST: url, PATH: process.env.PATH };
  return createApp({ env, cwd: join(tree.root, 'project'), command: 'test' });
}

const json = (value: object): Answer => ({ type: 'application/json', steps: [JSON.stringify(value)] });

describe('the provider if none is named', () => {
  it('is an Ollama that takes longer than a second to answer, and the user is told of the wait', async () => {
    using tree = createTree();
    const { promise: isTold, resolve: tell } = Promise.withResolvers<void>();
    const tags = JSON.stringify({ models: [{ name: 'slow:latest', size: 1 }] });
    await using server = await startFaultServer({
      '/api/tags': { type: 'application/json', steps: [{ until: isTold }, tags] },
      '/api/show': json({}),
    });
    const app = await appAt(tree, server.url);
    const told: string[] = [];
    const onWait = (notice: string) => {
      told.push(notice);
      tell();
    };
    const { provider, model, isStandIn } = await chooseProvider(app, {}, { onWait });
    expect([provider.name, model, isStandIn, told]).toEqual([
      'ollama',
      'slow:latest',
      undefined,
      [`Waiting for Ollama at ${server.url}: it has not answered yet.`],
    ]);
    await app.close();
  });

  it.each([
    ['refuses connections', undefined, 'no Ollama answers at'],
    ['answers as a foreign program', {}, 'offline'],
    ['has no model', { '/api/tags': json({ models: [] }) }, 'has no model yet'],
  ])('is the search, as a stand-in, if the server %s, and no wait is reported', async (_kind, answers, why) => {
    using tree = createTree();
    await using server = answers && (await startFaultServer(answers));
    const app = await appAt(tree, server?.url ?? (await deadUrl()));
    const told: string[] = [];
    const choice = await chooseProvider(app, {}, { onWait: (notice) => told.push(notice) });
    expect([choice.provider.name, choice.isStandIn, told]).toEqual(['offline', true, []]);
    expect(choice.why).toContain(why);
    await app.close();
  });
});

describe('a session that began with the search as a stand-in', () => {
  const noticesOf = async (app: App, conversation: Conversation) => {
    const signals = await lastValueFrom(ask(app, conversation, { text: 'hello' }).pipe(toArray()));
    return signals.flatMap((signal) => (signal.type === 'notice' ? [signal.text] : []));
  };

  it('offers the model of an Ollama that appears, once, also after a resume', async () => {
    using tree = createTree();
    const before = await appAt(tree, await deadUrl());
    const begun = await openSession(before, { kind: 'new', name: 'oak' });
    expect(await noticesOf(before, begun)).toEqual([]);
    await begun.session.close('exit');
    await before.close();
    await using server = await startToolModel({ text: 'ok' });
    const app = await appAt(tree, server.url);
    const resumed = await openSession(app, { kind: 'resume', reference: 'oak' });
    const offer = `Ollama answers at ${server.url} now, with the model tooled:latest: /provider ollama or --provider ollama continues with it.`;
    expect([resumed.choice.provider.name, await noticesOf(app, resumed)]).toEqual(['offline', [offer]]);
    expect(await noticesOf(app, resumed)).toEqual([]);
    await resumed.session.close('exit');
    await app.close();
  });

  it('reports on standard error of each `ollm ask` that no language model answers, unless the search was named', async () => {
    using home = createHome();
    const begun = await home.run(['ask', 'What is a journal?', '--name', 'oak']);
    const resumed = await home.run(['ask', 'And a line?', '--resume', 'oak']);
    for (const { stderr } of [begun, resumed]) expect(stderr).toContain('offline, a search and no language model');
    expect((await home.run(['ask', 'hello', '--provider', 'offline'])).stderr).not.toContain('no language model');
  });
});
