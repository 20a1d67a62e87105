import { join } from 'node:path';
import { FileSystemChatMessageHistory } from '@langchain/community/stores/message/file_system';
import { AIMessage, HumanMessage } from '@langchain/core/messages';

export async function open(directory) {
  const history = new FileSystemChatMessageHistory({ sessionId: 'garden', filePath: join(directory, 'garden.json') });
  return {
    append: ({ role, content }) =>
      history.addMessage(role === 'user' ? new HumanMessage(content) : new AIMessage(content)),
    messages: () => history.getMessages(),
    close: async () => {},
  };
}
