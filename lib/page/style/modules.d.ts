// A style sheet that a part imports becomes a call of adopt.ts.
declare module '*.css';
