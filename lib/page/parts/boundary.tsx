// Where a fault of the page ends: it is said instead of a blank page, and the rest can still be reached.
import { Component, type ComponentChildren } from 'preact';
import { failed } from '../api/server.ts';
import { FailureState } from './failure-state.tsx';

export class ErrorBoundary extends Component<{ children: ComponentChildren }, { problem?: string }> {
  static override getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    const failure = failed('PAGE', `This view of the page broke: ${problem}`);
    return <FailureState failure={failure} retry={() => location.reload()} />;
  }
}
