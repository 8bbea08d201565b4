import '../admin.css';
import { ActionIcon, Button, Textarea, TextInput } from '@mantine/core';
import { IconCopy, IconRefresh, IconSearch, IconStar } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { FoundIdentifier } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { copyText } from '@/shared/copy';
import { Form } from '@/shared/form/Form';
import { OrganizationSelect } from '@/shared/form/OrganizationSelect';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { SavedAddresses } from '../organizations/SavedAddresses';
import { decodeMessages, decodeObjects, lookUp } from './api';
import { listed, lookupError } from './rules';
import classes from './utilities.module.css';

const copied = (what: string) => `${what} copied to your clipboard`;

/** An ID that can be copied. */
function CopyId({ id, what }: { id: string | null | undefined; what: string }) {
  if (!id) return <span className="cp-muted">–</span>;
  return (
    <span className={classes.id}>
      <span className="cp-mono">{id}</span>
      <ActionIcon size={24} variant="subtle" aria-label={`Copy ${what} ${id}`} onClick={() => void copyText(id, copied(what))}>
        <IconCopy size={15} stroke={1.6} />
      </ActionIcon>
    </span>
  );
}

/** Lookups by identifiers, for operators who help somebody. */
export function UtilitiesPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const [saved, showSaved] = useState(false);
  const actions = (
    <>
      <Button variant="default" leftSection={<IconStar size={16} stroke={1.6} />} onClick={() => showSaved(true)}>
        Saved Direct Addresses
      </Button>
      <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={() => go(paths.adminRetry)}>
        Bulk Workflow Retry
      </Button>
    </>
  );
  return (
    <>
      <PageHead title="Message Utilities" actions={isPhone ? undefined : actions} />
      <div className={`adm-body ${classes.body}`}>
        {isPhone && <div className={classes.actions}>{actions}</div>}
        <Lookup title="Message" label="Message id" hint="The ID of a message, a Message-ID, or the ID of a fax call." />
        <Lookup title="Workflow" label="Workflow id" hint="The ID of a workflow from a response or a log." />
        <MailMessages />
        <ObjectIds />
      </div>
      {saved && <SavedAddressesDialog onClose={() => showSaved(false)} />}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Lookup({ title, label, hint }: { title: string; label: string; hint: string }) {
  const [id, setId] = useState('');
  const found = useMutation({ mutationFn: lookUp, meta: { ownErrors: true } });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (id.trim()) found.mutate(id.trim());
  };
  return (
    <Part title={title}>
      <Form onSubmit={submit}>
        <div className={classes.line}>
          <TextInput
            size="md"
            label={label}
            description={hint}
            autoComplete="off"
            maxLength={998}
            value={id}
            onChange={(e) => setId(e.currentTarget.value)}
            error={found.error ? lookupError(found.error) : undefined}
          />
          <Button
            size="md"
            type="submit"
            variant="default"
            disabled={!id.trim()}
            loading={found.isPending}
            leftSection={<IconSearch size={16} stroke={1.6} />}
          >
            Look up
          </Button>
        </div>
      </Form>
      {found.data && (
        <ul className={classes.results} aria-label={`Results for the ${label.toLowerCase()}`}>
          {found.data.map((item) => (
            <li key={item.messageId ?? item.workflowId}>
              <Identifier found={item} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Identifier({ found }: { found: FoundIdentifier }) {
  return (
    <>
      <div>
        <b className="cp-strong">{found.organizationName ?? 'The platform'}</b>
        {found.direction && `, ${found.direction}`}
        {found.messageDate && `, ${formatDateTime(found.messageDate)}`}
      </div>
      <div>
        Message id: <CopyId id={found.messageId} what="Message Id" />
      </div>
      <div>
        Workflow id: <CopyId id={found.workflowId} what="Workflow Id" />
      </div>
      {found.workflows.map((w) => (
        <div key={w.id} className={classes.table}>
          <table aria-label={w.kind}>
            <thead>
              <tr>
                <th scope="col">{w.kind}</th>
                <th scope="col">
                  <Status state={w.status} />
                </th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {w.steps.map((s) => (
                <tr key={s.id}>
                  <td>{s.name}</td>
                  <td>
                    <Status state={s.status} />
                  </td>
                  <td>{s.error ?? ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </>
  );
}

type DecodeProps<T> = {
  title: string;
  hint: string;
  decode: (ids: string[]) => Promise<T[]>;
  columns: { head: string; cell: (item: T) => ReactNode }[];
  copies?: boolean;
};

/** Decodes pasted IDs. */
function Decode<T extends { objectId: string }>({ title, hint, decode, columns, copies }: DecodeProps<T>) {
  const [text, setText] = useState('');
  const found = useMutation({ mutationFn: decode, meta: { ownErrors: true } });
  const ids = listed(text);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (ids.length) found.mutate(ids);
  };
  return (
    <Part title={title}>
      <Form className={classes.form} onSubmit={submit}>
        <Textarea
          size="md"
          label="Object ids"
          description={hint}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
          error={found.error ? lookupError(found.error) : undefined}
        />
        <Button type="submit" variant="default" disabled={ids.length === 0} loading={found.isPending}>
          Decode
        </Button>
      </Form>
      {found.data && (
        <div className={classes.table}>
          {copies && (
            <Button
              size="xs"
              variant="subtle"
              leftSection={<IconCopy size={14} stroke={1.6} />}
              onClick={() => void copyText(found.data.map((i) => i.objectId).join(', '), copied('Object Ids'))}
            >
              Copy the object ids
            </Button>
          )}
          <table aria-label={title}>
            <thead>
              <tr>
                {columns.map(({ head }) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.data.map((item, i) => (
                // The same id may be pasted twice.
                // oxlint-disable-next-line react/no-array-index-key
                <tr key={i}>
                  {columns.map(({ head, cell }) => (
                    <td key={head}>{cell(item)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}

const MailMessages = () => (
  <Decode
    title="Mail messages"
    hint="Ids of messages or workflows, or Message-IDs, comma-separated; at most 500."
    decode={decodeMessages}
    copies
    columns={[
      { head: 'Object id', cell: (i) => i.objectId },
      { head: 'Mail message id', cell: (i) => (i.mailMessageId ? <CopyId id={i.mailMessageId} what="Message Id" /> : 'Not Found') },
      { head: 'Workflow id', cell: (i) => <CopyId id={i.workflowId} what="Workflow Id" /> },
    ]}
  />
);

const ObjectIds = () => (
  <Decode
    title="Object id"
    hint="Ids in any spelling, comma-separated; at most 500."
    decode={decodeObjects}
    columns={[
      { head: 'Object id', cell: (i) => i.objectId },
      { head: 'Record', cell: (i) => (i.dbEntityId ? `${i.entity} ${i.dbEntityId}` : '–') },
      { head: 'UUID', cell: (i) => (i.uuid ? <span className="cp-mono">{i.uuid}</span> : 'Invalid') },
    ]}
  />
);

/** The Direct addresses that an organization has saved. */
function SavedAddressesDialog({ onClose }: { onClose: () => void }) {
  const [organization, choose] = useState<string | null>(null);
  return (
    <Dialog opened onClose={onClose} title="Saved Direct Addresses" size={520}>
      <OrganizationSelect size="md" label="Organization" data-autofocus value={organization} onChange={choose} />
      {organization ? (
        <div style={{ marginTop: 16 }}>
          <SavedAddresses key={organization} organizationId={organization} />
        </div>
      ) : (
        <Notice kind="info">Choose an organization to see its saved addresses.</Notice>
      )}
    </Dialog>
  );
}
