// What a conversation is made of. Types only: no behaviour, no dependency.
export type {
  ContextSource,
  FilePart,
  ImagePart,
  LeftText,
  Native,
  Origin,
  Part,
  ReasoningPart,
  ReplacingMessage,
  Role,
  TextPart,
  TokenCount,
  TokenMethod,
  ToolResult,
  Usage,
} from './types.generated.ts';
