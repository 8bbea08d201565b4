import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import { formatDateTime } from '@/shared/format';
import { useAsk } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';

const grantsQuery = (userId: string) => itemsOf(queryOf('get', '/api/codegrants', { params: { query: { userId } }, ...quiet }));

/** The applications that sign a user in, and their removal. */
export function Applications({ userId }: { userId: string }) {
  const client = useQueryClient();
  const grants = useQuery(grantsQuery(userId));
  const [ask, question] = useAsk();
  if (grants.error && !grants.data)
    return <ErrorState title="The applications could not be loaded" error={grants.error} onRetry={() => void grants.refetch()} />;
  if (grants.data?.length === 0) return <p className="cp-second">None.</p>;
  return (
    <>
      {grants.data?.map((grant) => (
        <div key={grant.id} className="cp-row">
          <div className="cp-grow">
            <b>{grant.name}</b>
            <p className="cp-muted cp-num">
              {grant.issuer} · since {formatDateTime(grant.grantedOn)} · last used {formatDateTime(grant.lastUsedOn)}
            </p>
          </div>
          <Button
            variant="default"
            onClick={() =>
              ask({
                title: 'Remove this application?',
                subject: grant.name,
                question: 'Sessions that began there end. The next sign-in there links the account again.',
                label: 'Remove',
                danger: true,
                run: async () => {
                  await unwrap(api.DELETE('/api/users/{id}/applications/{appId}', { params: { path: { id: userId, appId: grant.id } } }));
                  await client.invalidateQueries({ queryKey: grantsQuery(userId).queryKey });
                },
                done: 'The application was removed.',
                failed: 'The application could not be removed. Please try again.',
              })
            }
          >
            Remove
          </Button>
        </div>
      ))}
      {question}
    </>
  );
}
