import { useQuery } from '@tanstack/react-query';
import { IconTags } from '@tabler/icons-react';
import { api } from '@/api/client';
import { OwnReleaseTypeForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { ownAddressesQuery } from '@/domain/messaging/api';
import { CrudPage } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, textField } from '@/shared/form/fields';
import { formatAddress } from '@/shared/format';

const ORIGINAL = 'Original';
const CONVERSIONS = [
  { value: ORIGINAL, label: 'As they are' },
  { value: 'Pdf', label: 'PDF' },
  { value: 'Cda', label: 'C-CDA' },
] as const;
const at = (id: string) => ({ params: { path: { id } } });

/** The release types that the organization can choose; those of the system are read-only. */
export function ReleaseTypesPage() {
  const sources = useQuery(ownAddressesQuery).data ?? [];
  const classifications = useQuery(queryOf('get', '/api/messages/classifications')).data?.items ?? [];
  const addressOf = (id: string | null | undefined) => sources.find((s) => s.id === id)?.fullAddress;
  const fields = {
    name: textField('Name'),
    originAddressId: choiceField(
      'Always sent from',
      sources.map((s) => ({ value: s.id, label: formatAddress(s.fullAddress) })),
      { description: 'The sender cannot choose another address.' },
    ),
    destinationAddress: textField('Always sent to', {
      description: 'A Direct address or fax number. With a fixed sender address, it makes a quick release.',
    }),
    classificationCode: choiceField(
      'Classification',
      classifications.map((c) => ({ value: c.code, label: c.name })),
      { description: 'Applied to messages of this type.' },
    ),
    conversion: choiceField('Files are sent', CONVERSIONS, { required: true, initial: ORIGINAL }),
    subject: textField('Subject', { description: 'Used when the sender enters none. Leave empty to use the name.' }),
    trackFaxResponses: checkboxField('Track fax responses', { description: 'Selected by default when such a message is faxed.' }),
    isRetired: checkboxField('Retired', { description: 'No longer offered. Messages that have it keep it.' }),
  };
  type Values = { conversion?: (typeof CONVERSIONS)[number]['value'] | null };
  const inputOf = <V extends Values>({ conversion, ...values }: V) => ({
    ...values,
    conversion: conversion === ORIGINAL ? null : conversion,
  });
  return (
    <CrudPage
      title="Release types"
      noun="release type"
      icon={IconTags}
      list={({ search, page, size }) =>
        queryOf('get', '/api/settings/releasetypes', { params: { query: { search, pageNumber: page, pageSize: size } } })
      }
      columns={[
        { key: 'name', title: 'Name', primary: true, text: (t) => t.name },
        { key: 'from', title: 'From', width: 220, drop: 2, text: (t) => formatAddress(addressOf(t.originAddressId) ?? '') },
        { key: 'to', title: 'To', width: 220, drop: 1, text: (t) => formatAddress(t.destinationAddress) },
        {
          key: 'standing',
          title: 'Status',
          width: 120,
          text: (t) => (t.isSystem ? 'System' : t.isRetired ? 'Retired' : 'Active'),
        },
      ]}
      search="Search by name"
      fields={fields}
      limits={OwnReleaseTypeForm}
      isFixed={(t) => t.isSystem}
      isMuted={(t) => t.isRetired}
      read={(id) => queryOf('get', '/api/settings/releasetypes/{id}', at(id))}
      create={(values) => api.POST('/api/settings/releasetypes', { body: inputOf(values) })}
      save={(id, values, version) => api.PUT('/api/settings/releasetypes/{id}', { ...at(id), body: { ...inputOf(values), version } })}
      remove={({ id }) => api.DELETE('/api/settings/releasetypes/{id}', at(id))}
      refreshes={['/api/releasetypes']}
      words={{ deleteQuestion: 'It can no longer be chosen. Are you sure?' }}
    />
  );
}
