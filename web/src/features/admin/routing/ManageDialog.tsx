import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { queryOf } from '@/api/query';
import type { RoutingRule } from '@/api/types';
import { type Act, useAsk } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { at } from '../lists/fields';
import classes from './routing.module.css';

type Item = { id: string };

type Props<T extends Item> = {
  /** The rule. */
  id: string;
  address: string;
  title: string;
  /** The label of the button that adds one. */
  add: string;
  empty: string;
  itemsOf: (rule: RoutingRule) => T[];
  nameOf: (item: T) => string;
  show: (item: T, index: number) => ReactNode;
  /** The form of an item, or of a new one. */
  form: (item: T | undefined, onClose: () => void) => ReactNode;
  remove: { label: string; act: (item: T) => Act };
  onClose: () => void;
};

/** Endpoints or senders of a routing rule. A form or a question replaces the list until it closes. */
export function ManageDialog<T extends Item>(props: Props<T>) {
  const { id, address, title, itemsOf, nameOf, onClose } = props;
  const [edited, edit] = useState<T | 'new' | null>(null);
  const [ask, question] = useAsk();
  const query = useQuery(queryOf('get', '/api/admin/routingrules/{id}', at(id)));
  const items = query.data ? itemsOf(query.data) : [];
  if (edited) return props.form(edited === 'new' ? undefined : edited, () => edit(null));
  if (question) return question;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button
            size="md"
            variant="default"
            leftSection={<IconPlus size={16} stroke={2} />}
            disabled={!query.data}
            onClick={() => edit('new')}
          >
            {props.add}
          </Button>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-subject">{address}</p>
      {query.error && !query.data && (
        <ErrorState title="The routing rule could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <div className="cp-bone" style={{ width: '60%' }} />}
      {query.data && items.length === 0 && <p className="cp-second">{props.empty}</p>}
      {items.length > 0 && (
        <ul className={classes.items} aria-label={title}>
          {items.map((item, index) => (
            <li key={item.id}>
              {props.show(item, index)}
              <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${nameOf(item)}`} onClick={() => edit(item)}>
                <IconPencil size={16} stroke={1.6} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`${props.remove.label} ${nameOf(item)}`}
                onClick={() => ask(props.remove.act(item))}
              >
                <IconTrash size={16} stroke={1.6} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
