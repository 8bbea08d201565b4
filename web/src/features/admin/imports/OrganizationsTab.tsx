import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDownload, IconFileSearch, IconTableImport } from '@tabler/icons-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { ImportCheck } from '@/api/types';
import { choiceField, Fields, useFieldForm } from '@/shared/form/fields';
import { fileField } from '@/shared/form/fileField';
import { Form } from '@/shared/form/Form';
import { formatCount } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { useRun } from '@/shared/ui/AskDialog';
import { ChoicesFailed, Notice, NoticeList } from '@/shared/ui/blocks';
import { HELP } from '@/shared/help';
import { brandsQuery, hispProvidersQuery, plansQuery, resellersQuery, specialtiesQuery, typesQuery } from '../organizations/api';
import { FREE } from '../organizations/rules';
import { checkOrganizations, importOrganizations, type Metadata, saveTemplate, saveWrongRows } from './api';
import classes from './imports.module.css';

const FILE_MAX = 10 << 20;

const file = fileField('File', {
  description: 'CSV in UTF-8, or XLSX, with at most 10,000 rows and 10 MB. The template has the columns.',
  accept: '.csv,.xlsx',
  check: ({ name, size }) => {
    if (!/\.(csv|xlsx)$/i.test(name)) return 'Please choose a CSV or XLSX file.';
    return size > FILE_MAX ? 'The file may have at most 10 MB.' : null;
  },
});

type Named = { id: string; name: string; isRetired?: boolean };
const named = (items: Named[] | undefined) => (items ?? []).filter((i) => !i.isRetired).map((i) => ({ value: i.id, label: i.name }));

/** The plans are those of the licenser, where there is one. */
function useChoices(licenser: string | null) {
  const plans = useQuery(plansQuery(licenser ?? '', undefined));
  const providers = useQuery(hispProvidersQuery);
  const brands = useQuery(brandsQuery);
  const types = useQuery(typesQuery);
  const specialties = useQuery(specialtiesQuery);
  const resellers = useQuery(resellersQuery);
  const ofKind = (licensing: boolean) => named(resellers.data?.filter((r) => (r.type === 'Licensing') === licensing));
  const fields = {
    file,
    planId: choiceField(
      'Plan',
      (plans.data ?? []).map((p) => ({ value: p.id ?? FREE, label: p.name })),
      { required: true, half: true },
    ),
    hispProviderId: choiceField('HISP', named(providers.data), { required: true, half: true }),
    brandId: choiceField('Brand', named(brands.data), { required: true, half: true }),
    type: choiceField('Type', named(types.data), { required: true, half: true }),
    specialty: choiceField('Specialty', named(specialties.data), { required: true }),
    affiliate: choiceField('Affiliate', ofKind(false), {
      help: HELP.reseller,
      half: true,
      check: (value, { licenser }) => (value && licenser ? 'Please choose an affiliate or a licenser, not both.' : null),
    }),
    licenser: choiceField('Licenser', ofKind(true), { half: true, help: HELP.reseller }),
  };
  return { fields, queries: [plans, providers, brands, types, specialties, resellers] };
}

type Values = {
  file: File | null;
  planId: string | null;
  hispProviderId: string | null;
  brandId: string | null;
  type: string | null;
  specialty: string | null;
  affiliate: string | null;
  licenser: string | null;
};
const metadataOf = (v: Values): Metadata => ({
  HispProviderId: v.hispProviderId ?? '',
  BrandId: v.brandId ?? '',
  PlanId: v.planId === FREE ? null : v.planId,
  ResellerId: v.licenser ?? v.affiliate,
  Specialty: v.specialty ?? '',
  Type: v.type ?? '',
});

type Checked = { file: File; metadata: Metadata; found: ImportCheck };

/** Checks and imports a file of organizations. */
export function OrganizationsTab() {
  const go = useGo();
  const [licenser, setLicenser] = useState<string | null>(null);
  const { fields, queries } = useChoices(licenser);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [act, setAct] = useState<'import' | 'check'>('import');
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    failed: 'The file could not be imported. Please try again.',
    submit: async (values) => {
      setChecked(null);
      const metadata = metadataOf(values);
      if (act === 'check') return setChecked({ file: values.file!, metadata, found: await checkOrganizations(values.file!, metadata) });
      const batch = await importOrganizations(values.file!, metadata);
      notify('success', 'The file was imported successfully. Please check the status screen.');
      go(paths.adminImports('status', { batch: batch.id }));
    },
  });
  // Each licenser has its own plans.
  form.watch('licenser', ({ value }) => {
    setLicenser(value);
    form.setFieldValue('planId', null);
  });
  const template = useRun({ run: saveTemplate, failed: 'The template could not be downloaded. Please try again.' });
  return (
    <Form className={classes.form} onSubmit={onSubmit}>
      <ChoicesFailed of={queries} />
      <NoticeList kind="error" messages={formErrors} />
      <p className="cp-second">Existing organizations, found by subdomain and name, are not changed, so a file can be imported again.</p>
      <Fields of={fields} form={form} />
      <div className={classes.actions}>
        <Button
          type="submit"
          loading={busy && act === 'import'}
          disabled={busy}
          leftSection={<IconTableImport size={16} stroke={1.6} />}
          onClick={() => flushSync(() => setAct('import'))}
        >
          Import
        </Button>
        <Button
          type="submit"
          variant="default"
          loading={busy && act === 'check'}
          disabled={busy}
          leftSection={<IconFileSearch size={16} stroke={1.6} />}
          onClick={() => flushSync(() => setAct('check'))}
        >
          Check without saving
        </Button>
        <Button
          variant="default"
          loading={template.isPending}
          leftSection={<IconDownload size={16} stroke={1.6} />}
          onClick={() => template.mutate()}
        >
          Template
        </Button>
      </div>
      {checked && <CheckResult checked={checked} />}
    </Form>
  );
}

function CheckResult({ checked: { file: of, metadata, found } }: { checked: Checked }) {
  const rows = useRun({ run: () => saveWrongRows(of, metadata), failed: 'The rows could not be downloaded. Please try again.' });
  const { total, ready, existing, failed, problems } = found;
  return (
    <section aria-label="Result of the check" role="status">
      <Notice kind={failed > 0 ? 'warning' : 'success'}>
        <b className="cp-strong">{`${formatCount(total)} rows:`}</b>{' '}
        {`${formatCount(ready)} would be created, ${formatCount(existing)} already exist, ${formatCount(failed)} have problems.`}
      </Notice>
      {failed > 0 && (
        <>
          <ul className={classes.problems} aria-label="Rows with problems" tabIndex={0}>
            {problems.map((p) => (
              <li key={p.line}>
                <b className="cp-strong">{`Line ${p.line}${p.key && `, ${p.key}`}`}</b> {p.problems.join(' ')}
              </li>
            ))}
          </ul>
          {failed > problems.length && <p className="cp-muted">{`The first ${formatCount(problems.length)} are shown.`}</p>}
          <Button
            variant="default"
            loading={rows.isPending}
            leftSection={<IconDownload size={16} stroke={1.6} />}
            onClick={() => rows.mutate()}
          >
            Rows to correct
          </Button>
        </>
      )}
    </section>
  );
}
