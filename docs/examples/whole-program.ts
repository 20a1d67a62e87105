// The program without its command line: createApp reads the configuration as ollm does, and puts store, providers,
// tools and policy together. This home has no configuration, so the provider is named.
import { ask, createApp, listSessions, openConversation } from 'ollm';
import { lastValueFrom, tap } from 'rxjs';

const home = process.argv[2] ?? './home';
const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'my-tool', flags: { home } });
const conversation = await openConversation(app, { kind: 'name', name: 'Tour', provider: 'offline' });
let answer = '';
const end = await lastValueFrom(
  ask(app, conversation, { text: 'Hello' }).pipe(
    tap((signal) => {
      if (signal.type === 'delta') answer += signal.content;
    }),
  ),
);
console.log(`${end.type}, and it said ${answer === '' ? 'nothing' : 'something'}`);
await conversation.session.close('exit');

for (const { id, summary } of await listSessions(app)) console.log(`${id}: ${summary?.messageCount} messages`);
await app.close();
