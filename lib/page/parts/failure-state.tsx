// A view whose request failed. Without an answer the page has all that it shows; the rest is loaded.
import { lazy } from './lazy.tsx';
import { type FailureProps, State, TryNow } from './state.tsx';

/** The failures of a server that answers, with what can be done about each. */
const AnsweredFailure = lazy(async () => (await import('./answered-failure.tsx')).AnsweredFailure);

export function FailureState(props: FailureProps) {
  const { failure, retry, isPage } = props;
  return (
    <div class="view-body" tabIndex={0}>
      {failure.code === 'OFFLINE' ? (
        <State isPage={isPage} title="ollm does not answer" actions={<TryNow retry={retry} />}>
          It was stopped, or the connection is gone. What you typed is kept here.
        </State>
      ) : (
        <AnsweredFailure {...props} />
      )}
    </div>
  );
}
