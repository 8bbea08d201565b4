import './intakerules.css';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconFileCheck,
  IconFileExport,
  IconFilterCog,
  IconFlask,
} from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { IntakeRuleForm } from '@/api/limits.gen';
import { itemsOf, queryOf, refresh, reshaped } from '@/api/query';
import type { IntakeRule } from '@/api/types';
import { useProfile } from '@/app/session';
import { assignableQuery, documentTypesQuery } from '@/domain/messaging/api';
import { CrudPage } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, choicesField, tagsField, textField } from '@/shared/form/fields';
import { formatAddress } from '@/shared/format';
import { notify } from '@/shared/notify';
import { reportFailure } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Status } from '@/shared/ui/status';
import { sourcesQuery } from '../users/api';
import { DryRunDialog } from './DryRunDialog';
import { FilingDryRunDialog } from './FilingDryRunDialog';
import { filingFields, filingOf, withFiling } from './filing';
import { actionsOf, conditionsOf, PATIENTS, SOURCES } from './words';

const RULES = '/api/settings/intakerules';
const at = (id: string) => ({ params: { path: { id } } });
/** All connections, for the names of charts. */
const connectionsQuery = itemsOf(queryOf('get', '/api/integrations'));
const everyRule = queryOf('get', RULES, { params: { query: { pageSize: 100 } } });

/** The rules applied to arriving messages, in the order in which they are tried. */
export function IntakeRulesPage() {
  const client = useQueryClient();
  const go = useGo();
  const people = useQuery(assignableQuery).data ?? [];
  // Administrators see every address and number.
  const sources = useQuery(sourcesQuery(useProfile().userId)).data ?? [];
  const types = useQuery(documentTypesQuery).data ?? [];
  const connections = useQuery(connectionsQuery).data;
  const all = useQuery(everyRule).data?.items ?? [];
  const [tried, setTried] = useState<IntakeRule | 'all' | null>(null);
  const [filing, setFiling] = useState<IntakeRule | null>(null);
  const chartOf = (id: string) => (connections ? (connections.find((c) => c.id === id)?.name ?? 'a deleted connection') : 'a chart');
  const nameOf = (id: string) => people.find((p) => p.id === id)?.name ?? 'Former user';
  const typeChoices = [...new Set(types.map((t) => t.name))].map((name) => ({ value: name, label: name }));
  const fields = {
    name: textField('Name', { description: 'Shown in the activity of messages. Do not name a patient.' }),
    sources: choicesField('Source', SOURCES, { description: 'Matches any of these. Leave a field blank to ignore it.' }),
    senders: tagsField('Sender contains', { description: 'Part of an address, fax number or name. One of several is enough.' }),
    recipients: choicesField(
      'Received at',
      sources.map((s) => ({ value: s.fullAddress.toLowerCase(), label: formatAddress(s.fullAddress) })),
    ),
    subjects: tagsField('Subject contains'),
    documentTypes: choicesField('Document type is', typeChoices),
    patient: choiceField('Patient', PATIENTS, { required: true, initial: 'Any', half: true }),
    patientNames: tagsField('Patient is named', {
      description: 'First and last name, in any order.',
      when: ({ patient }) => patient !== 'Unknown',
    }),
    people: choicesField(
      'Assign to',
      people.map((p) => ({ value: p.id, label: p.name })),
      { description: 'If several, whoever has the fewest open messages.' },
    ),
    tags: tagsField('Add tags'),
    documentType: choiceField('Set document type', typeChoices, { description: 'Applied to documents that have none.' }),
    isUrgent: checkboxField('Mark as urgent', { description: 'Requires an assignee.' }),
    ...filingFields(connections ?? []),
    stops: checkboxField('Stop here', { description: 'Later rules are skipped once this one has matched.' }),
    isEnabled: checkboxField('Enabled', { initial: true }),
  };
  type Values = { documentType: string | null; patient: string | null; patientNames: string[] } & Parameters<typeof filingOf>[0];
  const inputOf = <V extends Values>({
    documentType,
    patient,
    patientNames,
    integrationId,
    minimumPercent,
    marksProcessed,
    ...values
  }: V) => ({
    ...values,
    fileToChart: filingOf({ integrationId, minimumPercent, marksProcessed }),
    documentType: documentType ?? '',
    patient: (patient ?? 'Any') as 'Any' | 'Known' | 'Unknown',
    patientNames: patient === 'Unknown' ? [] : patientNames,
  });
  const move = async (rule: IntakeRule, by: -1 | 1) => {
    const ids = all.map((r) => r.id);
    const from = ids.indexOf(rule.id);
    ids.splice(from, 1);
    ids.splice(from + by, 0, rule.id);
    try {
      await unwrap(api.PUT('/api/settings/intakerules/order', { body: { ids } }));
      notify('success', `“${rule.name}” is now tried ${by < 0 ? 'earlier' : 'later'}.`);
    } catch (error) {
      reportFailure(error, 'The order could not be changed. Please try again.', { serverFirst: true });
    }
    await refresh(client, RULES);
  };
  const place = (rule: IntakeRule) => all.findIndex((r) => r.id === rule.id);
  return (
    <>
      <CrudPage
        title="Intake rules"
        noun="intake rule"
        icon={IconFilterCog}
        list={({ search, page, size }) => queryOf('get', RULES, { params: { query: { search, pageNumber: page, pageSize: size } } })}
        size={25}
        columns={[
          { key: 'position', title: '#', width: 48, numeric: true, render: (r) => String(place(r) < 0 ? r.position + 1 : place(r) + 1) },
          { key: 'name', title: 'Name', width: 200, primary: true, text: (r) => r.name },
          { key: 'when', title: 'When', drop: 1, text: (r) => conditionsOf(r, formatAddress) },
          { key: 'then', title: 'Then', render: (r) => <Actions rule={r} words={actionsOf(r, nameOf, chartOf)} /> },
          { key: 'state', title: 'Status', width: 110, render: (r) => <Status state={r.isEnabled ? 'Enabled' : 'Disabled'} /> },
        ]}
        search="Search by name"
        actions={
          <>
            {all.some((r) => r.fileToChart) && (
              <Button variant="default" leftSection={<IconFileCheck size={16} stroke={1.6} />} onClick={() => go(paths.filedByRule())}>
                Filed by rule
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconFlask size={16} stroke={1.6} />}
              disabled={!all.some((r) => r.isEnabled)}
              onClick={() => setTried('all')}
            >
              Try the rules
            </Button>
          </>
        }
        fields={fields}
        limits={IntakeRuleForm}
        initial={{ isEnabled: true }}
        isMuted={(r) => !r.isEnabled}
        badge={(r) => <Status state={r.isEnabled ? 'Enabled' : 'Disabled'} />}
        read={(id) => reshaped(queryOf('get', '/api/settings/intakerules/{id}', at(id)), withFiling)}
        create={(values) => api.POST(RULES, { body: inputOf(values) })}
        save={(id, values, version) => api.PUT('/api/settings/intakerules/{id}', { ...at(id), body: { ...inputOf(values), version } })}
        remove={({ id }) => api.DELETE('/api/settings/intakerules/{id}', at(id))}
        menu={(rule) => [
          { label: 'Try it', icon: IconFlask, run: () => setTried(rule) },
          ...(rule.fileToChart ? [{ label: 'Try filing', icon: IconFileExport, run: () => setFiling(rule) }] : []),
          ...(place(rule) > 0 ? [{ label: 'Move up', icon: IconArrowUp, run: () => void move(rule, -1) }] : []),
          ...(place(rule) >= 0 && place(rule) < all.length - 1
            ? [{ label: 'Move down', icon: IconArrowDown, run: () => void move(rule, 1) }]
            : []),
        ]}
        words={{
          emptyText: 'Rules assign, tag, mark or file messages as they arrive.',
          deleteQuestion: 'Messages keep the changes that it made. Are you sure?',
        }}
      />
      {filing && <FilingDryRunDialog rule={filing} onClose={() => setFiling(null)} />}
      {tried && <DryRunDialog rule={tried === 'all' ? null : tried} nameOf={nameOf} onClose={() => setTried(null)} />}
    </>
  );
}

/** What a rule does, and why it cannot file at the moment. */
const Actions = ({ rule, words }: { rule: IntakeRule; words: string }) => (
  <>
    {words}
    {rule.filingProblem && (
      <span className="cp-plain t-warn rul-wrapped">
        <IconAlertTriangle size={15} stroke={1.8} aria-hidden /> {rule.filingProblem}
      </span>
    )}
  </>
);
