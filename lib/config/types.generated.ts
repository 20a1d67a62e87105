// Generated from schemas/ by "npm run generate". Change the schema, not this file.
/**
 * Settings of ollm. Every key is optional in a file.
 */
export interface Config {
  /**
   * Provider for new sessions; without one, an Ollama that answers, else offline.
   */
  provider?: string;
  /**
   * Model for new sessions; without one, the provider's first.
   */
  model?: string;
}
