import { useQueryClient } from '@tanstack/react-query';
import { IconAt, IconMailCheck, IconMailOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { api, unwrap } from '@/api/client';
import { OwnDirectAddressForm, RequestedAddress } from '@/api/limits.gen';
import { queryOf, refresh } from '@/api/query';
import type { OwnDirectAddress } from '@/api/types';
import { CrudPage, type CrudProps, CrudSection } from '@/shared/crud/CrudPage';
import { choicesField, textField } from '@/shared/form/fields';
import { formatAddress, formatCount } from '@/shared/format';
import { Status } from '@/shared/ui/status';

const ADDRESSES = '/api/settings/directaddresses';

/** With no chosen readers, everybody may read. */
const chosenOf = ({ people, readers }: { people: string[]; readers: string[] }) => ({ people, readers: readers.length ? readers : null });

type Props = {
  /** Of another organization, for operators. */
  organizationId?: string;
  /** The domain of the organization, if known. */
  domain?: string;
  /** People who can be chosen to send from an address and to read its mail. Operators do not choose. */
  people?: { id: string; name: string }[];
  /** The requester of an address, who may send from it at first. */
  requester?: string;
  /** A heading within another page; without it this is a page. */
  heading?: ReactNode;
};

/** The Direct addresses of an organization: requests, activation, names, retirement, and the people who may send and read. */
export function DirectAddresses({ organizationId, domain, people, requester, heading }: Props) {
  const client = useQueryClient();
  const query = organizationId ? { organizationId } : {};
  const at = (id: string) => ({ params: { path: { id }, query } });
  const activate = async ({ id }: OwnDirectAddress) => {
    await unwrap(api.POST('/api/settings/directaddresses/{id}/activate', at(id)));
    await refresh(client, ADDRESSES);
  };
  const retire = async ({ id }: OwnDirectAddress) => {
    await unwrap(api.POST('/api/settings/directaddresses/{id}/retire', at(id)));
    await refresh(client, ADDRESSES);
  };
  const nameOf = (id: string) => people?.find((p) => p.id === id)?.name;
  const names = (ids: string[]) => {
    const known = ids.map(nameOf).filter((name): name is string => Boolean(name));
    if (!ids.length) return 'Nobody';
    return known.length === ids.length && known.length <= 2 ? known.join(', ') : formatCount(ids.length);
  };
  const choices = (people ?? []).map((p) => ({ value: p.id, label: p.name }));
  const fields = {
    localPart: textField('Address', {
      description: `Before @${domain ?? 'your domain'}, such as “frontdesk”.`,
      when: (_, isNew) => isNew,
    }),
    displayName: textField('Name', { description: 'A name for colleagues, such as “Front desk”.' }),
    people: choicesField('People who may send from it', choices, { when: () => people !== undefined }),
    readers: choicesField('People who may read what arrives', choices, {
      description: 'Leave empty for everyone in the organization.',
      when: () => people !== undefined,
    }),
  };
  const props: CrudProps<OwnDirectAddress, typeof fields> = {
    title: 'Direct addresses',
    noun: 'Direct address',
    nouns: 'Direct addresses',
    icon: IconAt,
    list: ({ search, page, size }) =>
      queryOf('get', ADDRESSES, { params: { query: { ...query, search, pageNumber: page, pageSize: size } } }),
    columns: [
      { key: 'address', title: 'Address', primary: true, text: (a) => formatAddress(a.address) },
      { key: 'displayName', title: 'Name', width: 200, drop: 2, text: (a) => a.displayName },
      { key: 'people', title: 'Can send', width: 220, drop: 1, text: (a) => names(a.people) },
      { key: 'readers', title: 'May read', width: 180, drop: 3, text: (a) => (a.readers ? names(a.readers) : 'Everybody') },
      { key: 'state', title: 'Status', width: 130, render: (a) => <Status state={a.state} /> },
    ],
    badge: (a) => <Status state={a.state} />,
    isMuted: (a) => a.state === 'Retired',
    search: 'Search by address',
    fields,
    limits: { ...OwnDirectAddressForm, ...RequestedAddress },
    read: (id) => queryOf('get', '/api/settings/directaddresses/{id}', at(id)),
    initial: { people: requester ? [requester] : [] },
    create: ({ localPart, displayName, ...chosen }) =>
      api.POST(ADDRESSES, { params: { query }, body: { localPart, displayName, ...(people && chosenOf(chosen)) } }),
    save: (id, { displayName, people: senders, readers }, version) =>
      api.PUT('/api/settings/directaddresses/{id}', {
        ...at(id),
        body: { displayName, version, people: senders, ...(people && chosenOf({ people: senders, readers })) },
      }),
    menu: (row) => [
      ...(row.state === 'Active'
        ? []
        : [
            {
              label: 'Activate',
              icon: IconMailCheck,
              ask: {
                title: 'Activate Direct address',
                subject: row.address,
                question: 'The address can receive mail from now on. The certificate of its domain covers it.',
                label: 'Activate',
                run: () => activate(row),
                done: 'The Direct address is active.',
                failed: 'The Direct address could not be activated. Please try again.',
              },
            },
          ]),
      ...(row.state === 'Retired'
        ? []
        : [
            {
              label: 'Retire',
              icon: IconMailOff,
              danger: true,
              ask: {
                title: 'Retire Direct address',
                subject: row.address,
                question:
                  'Mail to this address is refused, and nobody can send from it. It stays reserved for the organization. Are you sure?',
                label: 'Retire',
                danger: true,
                run: () => retire(row),
                done: 'The Direct address was retired.',
                failed: 'The Direct address could not be retired. Please try again.',
              },
            },
          ]),
    ],
    words: {
      create: 'Request address',
      newTitle: 'Request a Direct address',
      createLabel: 'Request',
      created: 'The Direct address was requested. Activate it to receive mail.',
    },
    refreshes: ['/api/documentsources/release'],
  };
  return heading ? <CrudSection {...props} heading={heading} /> : <CrudPage {...props} />;
}
