import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '@/api/client';
import { queryOf } from '@/api/query';
import type { AdminUserRow } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { useAsk } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { at, subjectOf, useRefreshUsers } from './api';

/** The sessions of a person, with a way to end them. */
export function AccountSessions({ user, onClose }: { user: AdminUserRow; onClose: () => void }) {
  const sessions = useQuery({ ...queryOf('get', '/api/admin/users/{id}/sessions', at(user.id)), staleTime: 0 });
  const changed = useRefreshUsers();
  const [ask, question] = useAsk();
  const items = sessions.data?.items;
  const endAll = () =>
    ask({
      title: 'End All Sessions',
      subject: subjectOf(user),
      question: 'This person is signed out everywhere at once, and can sign in again. Are you sure?',
      label: 'End All',
      danger: true,
      run: async () => {
        await api.DELETE('/api/admin/users/{id}/sessions', at(user.id));
        await changed();
      },
      done: 'All sessions have ended.',
      failed: 'There was an error ending the sessions',
    });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Sessions"
      footer={
        <>
          <Button size="md" variant="default" color="red" disabled={!items?.length} onClick={endAll}>
            End All Sessions
          </Button>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subjectOf(user)}</p>
      {sessions.error && !items && (
        <ErrorState title="The sessions could not be loaded" error={sessions.error} onRetry={() => void sessions.refetch()} />
      )}
      {items?.length === 0 && <p className="cp-second">This person has no open session.</p>}
      <ul className="usr-places" aria-label="Sessions" aria-busy={!items}>
        {items?.map((session) => (
          <li key={session.id}>
            <div className="cp-grow">
              <span className="cp-block cp-strong cp-num">
                {session.sourceIp} {session.organizationName && <span className="cp-muted">{session.organizationName}</span>}
              </span>
              <span className="cp-block cp-second">{session.userAgent || 'Unknown browser'}</span>
              <span className="cp-block cp-second cp-num">
                Since {formatDateTime(session.createdAt)}, last used {formatDateTime(session.lastUsedAt)}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {question}
    </Dialog>
  );
}
