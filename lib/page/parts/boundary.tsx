// Where a fault of the page ends: it is said instead of a blank page, and the rest can still be reached.
import { Component, type ComponentChildren } from 'preact';
import { failed } from '../api/server.ts';
import { FailureState } from './failure-state.tsx';
import { MissingPart } from './lazy.tsx';
import { State } from './state.tsx';

export class ErrorBoundary extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  static override getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error: error ?? new Error('It is not known why.') };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const reload = (): void => location.reload();
    // The words of other failures are in such a part, too.
    if (error instanceof MissingPart)
      return (
        <State
          isPage
          title="A part of the page could not be loaded"
          actions={
            <button type="button" class="button" onClick={reload}>
              Load the page again
            </button>
          }
        >
          ollm does not answer, or was updated since the page was opened.
        </State>
      );
    const problem = error instanceof Error ? error.message : String(error);
    return <FailureState failure={failed('PAGE', `This view of the page broke: ${problem}`)} retry={reload} isPage />;
  }
}
