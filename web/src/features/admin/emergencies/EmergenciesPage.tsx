import '../admin.css';
import { type MultiSelectProps, Tabs, TextInput, type TextInputProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconBuildingHospital, IconCircleCheck, IconCircleOff } from '@tabler/icons-react';
import { useState } from 'react';
import { api, quiet } from '@/api/client';
import { itemsOf, type Read, queryOf, reshaped } from '@/api/query';
import { EmergencyForm, EmergencyOrganizationForm } from '@/api/limits.gen';
import type { Emergency, EmergencyOrganization } from '@/api/types';
import { CrudSection, type ListRequest } from '@/shared/crud/CrudPage';
import { useDebounced } from '@/shared/debounce';
import { dateField } from '@/shared/form/dateField';
import { type Field, textField } from '@/shared/form/fields';
import { ListMultiSelect } from '@/shared/form/inputs';
import { truncate } from '@/shared/format';
import { paths } from '@/shared/paths';
import { showShortDate } from '@/shared/rules/dates';
import { isOid } from '@/shared/rules/fields';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { Chip, Status } from '@/shared/ui/status';

const EMERGENCIES = '/api/admin/emergencies';
const ORGANIZATIONS = '/api/emergencies/organizations';
const OID_DELAY_MS = 500;
/** Minimum number of letters to search organizations of an emergency. */
const LETTERS = 2;
const LOOKUP_DELAY_MS = 300;
const SHOWN_MAX = 30;
const at = (id: string) => ({ params: { path: { id } } });

/** The server returns all of them; the page is cut here. */
const paged = <T,>(
  all: Read<{ items: T[] }>,
  matches: (item: T, words: string) => boolean,
  { search, offset, size }: Pick<ListRequest, 'search' | 'offset' | 'size'>,
) =>
  reshaped(
    all,
    (answer) => {
      const items = search ? answer.items.filter((item) => matches(item, search.toLowerCase())) : answer.items;
      return { items: items.slice(offset, offset + size), totalCount: items.length, totalIsCapped: false };
    },
    search,
    offset,
    size,
  );

export type EmergenciesTab = 'emergencies' | 'organizations';

/** Public health emergencies, and the organizations that take part in them. */
export function EmergenciesPage({ tab }: { tab: EmergenciesTab }) {
  const go = useGo();
  return (
    <>
      <PageHead title="Emergencies" />
      <Tabs value={tab} onChange={(next) => go(paths.adminEmergencies(next as EmergenciesTab))} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label="Emergencies">
          <Tabs.Tab value="emergencies">Emergencies</Tabs.Tab>
          <Tabs.Tab value="organizations">Organizations</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="emergencies" className="adm-list">
          <EmergencyList />
        </Tabs.Panel>
        <Tabs.Panel value="organizations" className="adm-list">
          <OrganizationList />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const organizationsQuery = itemsOf(queryOf('get', ORGANIZATIONS));

/** Green; amber once a date is set; red from that date. */
function Standing({ emergency: { disabledDate, isDisabled } }: { emergency: Emergency }) {
  if (isDisabled)
    return (
      <Chip tone="danger" icon={IconCircleOff}>
        Disabled
      </Chip>
    );
  if (disabledDate) return <Chip tone="warn" icon={IconAlertTriangle}>{`Until ${showShortDate(disabledDate)}`}</Chip>;
  return <Status state="Enabled" />;
}

const isFound = (o: EmergencyOrganization, words: string) => o.name.toLowerCase().includes(words) || o.oid.includes(words);

/** Chooses from the known organizations. */
function KnownOrganizations({ known, value, ...props }: MultiSelectProps & { known: EmergencyOrganization[] }) {
  const [typed, setTyped] = useState('');
  const words = useDebounced(typed.trim().toLowerCase(), LOOKUP_DELAY_MS);
  const isSearched = words.length >= LETTERS;
  const offered = known.filter((o) => value?.includes(o.oid) || (isSearched && isFound(o, words)));
  return (
    <ListMultiSelect
      {...props}
      value={value}
      data={offered.map((o) => ({ value: o.oid, label: o.name || o.oid }))}
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={isSearched ? 'No match' : undefined}
    />
  );
}
const organizationsField = (known: EmergencyOrganization[]): Field<string[]> => ({
  label: 'Organizations',
  description: 'At least one. Search by name or OID. The tab Organizations lists the choices.',
  initial: [],
  show: (oids) => oids.map((oid) => known.find((o) => o.oid === oid)?.name || oid).join(', ') || 'none',
  control: (props, bound) => <KnownOrganizations known={known} {...props} {...bound} />,
});

function EmergencyList() {
  const known = useQuery(organizationsQuery).data ?? [];
  const fields = {
    name: textField('Name', { rows: 2 }),
    disabledDate: dateField('Disabled date', { description: 'The first day on which it is over. Leave empty while the day is unknown.' }),
    organizations: organizationsField(known),
  };
  const body = (values: { name: string; disabledDate: string | null; organizations: string[] }) => ({
    ...values,
    disabledDate: values.disabledDate || null,
  });
  const flip = (e: Emergency) => {
    const path = e.disabledDate ? ('/api/admin/emergencies/{id}/enable' as const) : ('/api/admin/emergencies/{id}/disable' as const);
    return {
      title: e.disabledDate ? 'Enable emergency' : 'Disable emergency',
      subject: e.name,
      question: e.disabledDate ? 'Its end date is removed. Are you sure?' : 'It ends today. Are you sure?',
      label: e.disabledDate ? 'Enable' : 'Disable',
      run: () => api.PUT(path, at(e.id)),
      failed: e.disabledDate ? 'Error enabling emergency' : 'Error disabling emergency',
    };
  };
  return (
    <CrudSection
      title="Emergencies"
      noun="emergency"
      nouns="emergencies"
      icon={IconAlertTriangle}
      list={(request) => paged(queryOf('get', EMERGENCIES), (e: Emergency, words) => e.name.toLowerCase().includes(words), request)}
      columns={[
        { key: 'name', title: 'Name', primary: true, text: (e) => e.name },
        {
          key: 'organizations',
          title: 'Organizations',
          width: 320,
          drop: 1,
          text: (e) => e.organizations.map((o) => o.name || o.oid).join(', '),
        },
        { key: 'standing', title: 'Status', width: 200, render: (e) => <Standing emergency={e} /> },
      ]}
      search="Search by name"
      fields={fields}
      limits={EmergencyForm}
      read={(id) =>
        reshaped(queryOf('get', '/api/admin/emergencies/{id}', at(id)), (found) => ({
          ...found,
          organizations: found.organizations.map((o) => o.oid),
        }))
      }
      create={(values) => api.POST(EMERGENCIES, { body: body(values) })}
      save={(id, values, version) => api.PUT(EMERGENCIES, { body: { ...body(values), id, version } })}
      remove={({ id }) => api.DELETE('/api/admin/emergencies/{id}', at(id))}
      menu={(e) => [{ label: e.disabledDate ? 'Enable' : 'Disable', icon: e.disabledDate ? IconCircleCheck : IconCircleOff, ask: flip(e) }]}
      badge={(e) => <Standing emergency={e} />}
      words={{
        created: 'Emergency saved.',
        saved: 'Emergency saved.',
        notLoaded: 'Error loading emergencies.',
        notRead: 'Error retrieving emergency',
      }}
    />
  );
}

/** An OID and its owner. */
function OidInput({ value, ...props }: TextInputProps & { value?: string }) {
  const oid = useDebounced((value ?? '').trim(), OID_DELAY_MS);
  const found = useQuery({
    ...reshaped(queryOf('post', '/api/organization/admin/_search', { body: { orgId: oid }, ...quiet }), ({ value }) => value),
    enabled: isOid(oid),
  });
  const name = found.data?.displayName ?? '';
  const hint = found.error
    ? 'Error searching for organization'
    : isOid(oid) && found.data === null
      ? 'No organizations found'
      : 'Filled in by the public-health service.';
  return (
    <>
      <TextInput {...props} value={value ?? ''} autoComplete="off" />
      <TextInput size="md" label="Name" description={hint} readOnly value={name} mt={14} />
    </>
  );
}
const oidField: Field<string> = {
  label: 'OID',
  initial: '',
  show: (value) => value,
  control: (props, bound) => <OidInput {...props} {...bound} />,
};

function OrganizationList() {
  return (
    <CrudSection
      title="Organizations"
      noun="organization"
      icon={IconBuildingHospital}
      list={(request) => paged(queryOf('get', ORGANIZATIONS), isFound, request)}
      columns={[
        {
          key: 'oid',
          title: 'OID',
          width: 320,
          text: (o) => o.oid,
          render: (o) => <span className="cp-mono">{truncate(o.oid, SHOWN_MAX)}</span>,
        },
        { key: 'name', title: 'Name', primary: true, text: (o) => o.name, render: (o) => truncate(o.name, SHOWN_MAX) },
      ]}
      search="Search by name or OID"
      fields={{ oid: oidField }}
      limits={EmergencyOrganizationForm}
      create={({ oid }) => api.PUT(ORGANIZATIONS, { body: { oid } })}
      save={(id, { oid }, version) => api.PUT(ORGANIZATIONS, { body: { id, oid, version } })}
      remove={({ oid }) => api.DELETE('/api/emergencies/organizations/{oid}', { params: { path: { oid } } })}
      refreshes={[EMERGENCIES]}
      words={{
        create: 'Add organization',
        createLabel: 'Save',
        created: 'Organization saved.',
        saved: 'Organization saved.',
        deleted: 'Organization removed.',
        notLoaded: 'Error loading organizations.',
        deleteItem: 'Remove',
        deleteTitle: 'Remove organization',
        deleteLabel: 'Remove',
        deleteQuestion: (name) =>
          `Are you sure you want to remove the organization ${name} from the list of known PUBLICHEALTH emergencies?`,
      }}
    />
  );
}
