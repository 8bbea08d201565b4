import { Button, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryOf } from '@/api/query';
import type { IntegrationId, IntegrationOverview } from '@/api/types';
import { plural } from '@/shared/format';
import { ListFooter } from '@/shared/table/ListFooter';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { Status } from '@/shared/ui/status';
import classes from './integrations.module.css';

const PAGE_SIZE = 10;

const whoMay = ({ isOpenToAll, whitelistedCount }: IntegrationOverview) =>
  isOpenToAll ? 'All may use it' : whitelistedCount === 0 ? 'Nobody may use it' : `${plural(whitelistedCount, 'organization')} may use it`;

/** `Fax services` as `fax services`; abbreviations stay. */
const withinSentence = (name: string) => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/** The integrations, with the organizations that use them. */
export function IntegrationsDialog({ onClose }: { onClose: () => void }) {
  const [chosen, choose] = useState<IntegrationId | null>(null);
  const query = useQuery(queryOf('get', '/api/admin/integrations', {}));
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Integrations"
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {query.error && !query.data && (
        <ErrorState title="The integrations could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <div className="cp-bone" style={{ width: '60%' }} />}
      <ul className={classes.integrations} aria-label="Integrations">
        {query.data?.items.map((integration) => (
          <li key={integration.id}>
            <UnstyledButton
              className={classes.head}
              aria-expanded={chosen === integration.id}
              onClick={() => choose(chosen === integration.id ? null : integration.id)}
            >
              <span className="cp-strong cp-grow">{integration.name}</span>
              <span className="cp-second">{plural(integration.organizationCount, 'organization')} connected</span>
              <span className="cp-second">{whoMay(integration)}</span>
            </UnstyledButton>
            {chosen === integration.id && <Organizations id={integration.id} name={integration.name} />}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Organizations({ id, name }: { id: IntegrationId; name: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery({
    ...queryOf('get', '/api/admin/integrations/{id}/organizations', {
      params: { path: { id }, query: { pageNumber: page, pageSize: PAGE_SIZE } },
    }),
    placeholderData: keepPreviousData,
  });
  if (query.error && !query.data)
    return <ErrorState title="The organizations could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <div className="cp-bone" style={{ width: '40%' }} />;
  const { items, totalCount, totalIsCapped } = query.data;
  if (items.length === 0) return <p className="cp-second">No organization has connected an integration.</p>;
  return (
    <>
      <ul className={classes.organizations} aria-label={`Organizations with ${withinSentence(name)}`}>
        {items.map((o) => (
          <li key={o.id}>
            <span className="cp-grow">
              {o.name} <span className="cp-muted">({o.subDomain})</span>
            </span>
            <Status state={o.isAllowed ? 'Activated' : 'Failed'}>{o.isAllowed ? 'Allowed' : 'Not on the whitelist'}</Status>
          </li>
        ))}
      </ul>
      {totalCount > PAGE_SIZE && (
        <ListFooter
          page={page}
          size={PAGE_SIZE}
          count={items.length}
          total={totalCount}
          capped={totalIsCapped}
          onPage={setPage}
          noun="organizations"
        />
      )}
    </>
  );
}
