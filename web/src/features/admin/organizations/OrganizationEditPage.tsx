import '../admin.css';
import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertCircle } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Organization } from '@/api/types';
import { queryClient } from '@/app/session';
import { FaxAccounts } from '@/domain/fax/Accounts';
import { Form } from '@/shared/form/Form';
import { useConflict } from '@/shared/form/conflict';
import { Saved } from '@/shared/form/saved';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { ownName } from '@/shared/owner';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { Banner, NoticeList } from '@/shared/ui/blocks';
import { Chip } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { AlternateOids } from './carequality/AlternateOids';
import { DirectoryEntries } from './carequality/DirectoryEntries';
import { DirectTab } from './DirectTab';
import { directFeatureQuery, organizationQuery, saveOrganization } from './api';
import { ContactFields, DetailsFields } from './fields';
import { InfoTab } from './InfoTab';
import { IpAddressesTab } from './IpAddressesTab';
import { QhinTab } from './QhinTab';
import { inputOf, invalidSummary, organizationChecks, type OrganizationValues, TABS, tabOf, valuesOf } from './rules';
import { SavedAddresses } from './SavedAddresses';
import { type FormTab, isFormTab, isTab, type SavedTab, type TabName } from './search';
import { ServiceAccountsTab } from './ServiceAccountsTab';
import { SettingsTab } from './SettingsTab';

type SavedTabView = { value: SavedTab; label: string; className: string; panel: (saved: Organization) => ReactNode };

/** Tabs that only an existing organization has. */
const SAVED_TABS: SavedTabView[] = [
  {
    value: 'fax',
    label: 'Fax',
    className: 'cp-scroll',
    panel: ({ id }) => (
      <>
        <p className="adm-about cp-second">The administrators of the organization add the numbers of these accounts under Fax.</p>
        <FaxAccounts organizationId={id} />
      </>
    ),
  },
  { value: 'direct', label: 'Direct', className: 'adm-list', panel: ({ id }) => <DirectTab organizationId={id} /> },
  { value: 'settings', label: 'Settings', className: 'cp-scroll adm-body', panel: ({ id }) => <SettingsTab organizationId={id} /> },
  {
    value: 'serviceaccount',
    label: 'Service Accounts',
    className: 'adm-list',
    panel: ({ id }) => <ServiceAccountsTab organizationId={id} />,
  },
  {
    value: 'carequality',
    label: 'Carequality',
    className: 'adm-list',
    panel: (saved) => (
      <>
        <AlternateOids id={saved.id} />
        <DirectoryEntries organization={saved} />
      </>
    ),
  },
  { value: 'qhin', label: 'QHIN', className: 'cp-scroll adm-body', panel: ({ id }) => <QhinTab organizationId={id} /> },
  {
    value: 'addresses',
    label: 'Saved addresses',
    className: 'cp-scroll adm-body',
    panel: ({ id }) => <SavedAddresses organizationId={id} />,
  },
  { value: 'info', label: 'Info', className: 'cp-scroll', panel: ({ id }) => <InfoTab id={id} /> },
  {
    value: 'ipaddresses',
    label: 'IP Addresses',
    className: 'cp-scroll adm-body',
    panel: ({ id }) => <IpAddressesTab organizationId={id} />,
  },
];
const SAVE_FAILED = 'There was an error saving this organization.';
const FILL_REQUIRED = 'Please fill out all required fields.';

export function AddOrganizationPage({ tab }: { tab: FormTab }) {
  return <Editor saved={null} tab={tab} onReload={() => {}} />;
}

/** Loads the organization first. */
export function OrganizationEditPage({ id, tab }: { id: string; tab: TabName }) {
  return (
    <Saved key={id} query={organizationQuery(id)} failed="The organization could not be loaded">
      {(saved, reload) => <Editor saved={saved} tab={tab} onReload={reload} />}
    </Saved>
  );
}

/** The tabs of an existing organization; Direct only where its feature is on. */
function useSavedTabs(saved: Organization | null): SavedTabView[] {
  const direct = useQuery({ ...directFeatureQuery, enabled: saved !== null }).data;
  if (!saved) return [];
  const isOn = !direct || (direct.enabled && (!direct.isOrganizationFeature || saved.enabledFeatures?.includes(direct.name)));
  return SAVED_TABS.filter(({ value }) => value !== 'direct' || isOn);
}

function Editor({ saved, tab: asked, onReload }: { saved: Organization | null; tab: TabName; onReload: () => void }) {
  const go = useGo();
  const savedTabs = useSavedTabs(saved);
  const tabs = [...TABS, ...savedTabs];
  const tab = tabs.some(({ value }) => value === asked) ? asked : 'details';
  const { isPhone } = useViewport();
  const conflict = useConflict<Organization>({
    saved,
    latest: () => queryClient.fetchQuery(organizationQuery(saved!.id)),
    what: 'organization',
    button: 'Save Changes',
    onLoad: () => {
      forget();
      onReload();
    },
  });
  const [submitted, setSubmitted] = useState(false);
  const leave = () => go(paths.adminOrganizations());
  const goTab = (next: string | null) => {
    const to = next && isTab(next) ? next : 'details';
    go(saved ? paths.adminOrganization(saved.id, to) : paths.adminOrganizationAdd(to), { replace: true });
  };

  const { form, busy, formErrors, onSubmit, forget } = useServerForm<OrganizationValues>({
    initialValues: saved ? valuesOf(saved) : { ...valuesOf({}), planId: '' },
    validate: organizationChecks,
    keepAs: ownName(`organization.${saved?.id ?? 'new'}`),
    base: conflict.base,
    submit: async (values) => {
      try {
        const isSaved = await conflict.save(async (version) => {
          await saveOrganization(saved?.id, inputOf(values, version));
        });
        if (!isSaved) return false;
      } catch (error) {
        if (!(error instanceof ApiError) || error.isRefused || error.isRevoked) throw error;
        if (Object.keys(error.modelState).length === 0) return notify('error', SAVE_FAILED);
        setSubmitted(true);
        notify('error', FILL_REQUIRED);
        throw error;
      }
      notify('success', 'The organization was saved successfully.');
      leave();
    },
  });
  const invalid = submitted ? Object.keys(form.errors).filter((f) => form.errors[f]) : [];
  const countOn = (t: TabName) => invalid.filter((f) => tabOf(f) === t).length;

  const save = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    setSubmitted(true);
    const { hasErrors, errors } = form.validate();
    if (hasErrors) {
      notify('error', FILL_REQUIRED);
      // The fields of the other tab are not rendered and cannot be focused.
      const wrong = Object.keys(errors).map(tabOf);
      if (!wrong.some((t) => t === tab)) return goTab(wrong[0]!);
    }
    onSubmit(e);
  };
  const cancel = () => {
    forget();
    leave();
  };

  // On phones not all tabs fit.
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-tab="${tab}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  const isForm = isFormTab(tab);
  const title = saved ? saved.name : 'Add Organization';
  const buttons = (
    <>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
      <Button type="submit" form="organization" loading={busy}>
        Save Changes
      </Button>
    </>
  );
  return (
    <>
      <BackHead
        title={title}
        back={{ label: 'Back to Organizations', run: cancel }}
        beside={
          saved &&
          !isPhone && (
            <>
              <Chip state={saved.activationStatus === 'Activated' ? 'Activated' : 'Not Activated'} />
              {!saved.isEnabled && <Chip state="Disabled" />}
            </>
          )
        }
        actions={!isPhone && isForm && buttons}
      />
      <Tabs value={tab} onChange={goTab} keepMounted={false} className="adm-tabs">
        <Tabs.List ref={list} aria-label={title}>
          {tabs.map((t) => (
            <Tabs.Tab
              key={t.value}
              value={t.value}
              data-tab={t.value}
              rightSection={
                countOn(t.value) > 0 ? (
                  <span className="adm-flag cp-num" role="img" aria-label={`${countOn(t.value)} invalid`}>
                    <IconAlertCircle size={13} stroke={2.2} aria-hidden />
                    {countOn(t.value)}
                  </span>
                ) : undefined
              }
            >
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {isForm && (
          <div className="cp-scroll adm-body">
            {conflict.banner && <div className="adm-notice">{conflict.banner}</div>}
            {invalid.length > 0 && (
              <div className="adm-notice">
                <Banner caption="There are invalid fields on this page.">{invalidSummary(invalid)}</Banner>
              </div>
            )}
            <NoticeList kind="error" messages={formErrors} />
            <Form id="organization" onSubmit={save}>
              <Tabs.Panel value="details">
                <DetailsFields form={form} saved={saved} />
              </Tabs.Panel>
              <Tabs.Panel value="contact">
                <ContactFields form={form} />
              </Tabs.Panel>
            </Form>
          </div>
        )}
        {saved &&
          savedTabs.map(({ value, className, panel }) => (
            <Tabs.Panel key={value} value={value} className={className}>
              {panel(saved)}
            </Tabs.Panel>
          ))}
      </Tabs>
      {isPhone && isForm && <div className="cp-foot adm-foot">{buttons}</div>}
    </>
  );
}
